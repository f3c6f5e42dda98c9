import java.util.List;

public class Shapes {
    sealed interface Shape permits Circle, Square, Rect {
        double area();

        default String tell() {
            return getClass().getSimpleName() + " " + area();
        }
    }

    record Circle(double r) implements Shape {
        public double area() {
            return 3.0 * r * r;
        }
    }

    record Square(int side) implements Shape {
        Square {
            if (side < 0) {
                throw new IllegalArgumentException("side " + side);
            }
        }

        public double area() {
            return side * side;
        }
    }

    record Rect(int w, int h) implements Shape {
        static int made;

        Rect(int both) {
            this(both, both);
            made++;
        }

        public double area() {
            return w * h;
        }
    }

    static int corners(Shape s) {
        int n = switch (s.getClass().getSimpleName()) {
            case "Circle" -> 0;
            case "Square", "Rect" -> {
                int four = 2 + 2;
                yield four;
            }
            default -> throw new IllegalStateException();
        };
        return n;
    }

    public static void main(String[] args) {
        List<Shape> all = List.of(new Circle(1.5), new Square(2), new Rect(3));
        int total = 0;
        for (Shape s : all) {
            total += corners(s);
            System.out.println(s.tell());
            if (s instanceof Rect r && r.w() == 3) {
                total += r.h();
            }
        }
        System.out.println(total + " " + all.get(1) + " " + all.get(1).equals(new Square(2)));
        try {
            new Square(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
