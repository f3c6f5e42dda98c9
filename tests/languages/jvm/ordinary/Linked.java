import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;

public class Linked {
    static abstract class Animal {
        protected String name;
        private static int count;
        final int id;

        Animal(String name) {
            this.name = name;
            id = ++count;
            init();
        }

        void init() {}

        abstract String sound();

        @Override
        public String toString() {
            return name + id + sound();
        }
    }

    static class Dog extends Animal {
        int tricks = 2;

        Dog(String name) {
            super(name);
            tricks++;
        }

        @Override
        void init() {
            tricks = 50;
        }

        @Override
        String sound() {
            return "woof" + tricks;
        }
    }

    static class Node<T> {
        T value;
        Node<T> left, right;

        Node(T value) {
            this.value = value;
        }
    }

    static Node<Integer> insert(Node<Integer> root, int v) {
        if (root == null) {
            return new Node<>(v);
        }
        if (v < root.value) {
            root.left = insert(root.left, v);
        } else {
            root.right = insert(root.right, v);
        }
        return root;
    }

    static int depth(Node<?> n) {
        return n == null ? 0 : 1 + Math.max(depth(n.left), depth(n.right));
    }

    public static void main(String[] args) {
        Animal d = new Dog("rex");
        Animal same = d;
        same.name = "max";
        System.out.println(d);
        Node<Integer> root = null;
        for (int v : new int[] {5, 2, 8, 1}) {
            root = insert(root, v);
        }
        System.out.println(depth(root));
        PriorityQueue<int[]> queue = new PriorityQueue<>((a, b) -> a[1] - b[1]);
        queue.add(new int[] {1, 9});
        queue.add(new int[] {2, 4});
        int[] first = queue.poll();
        first[0] = 77;
        Map<String, int[]> kept = new LinkedHashMap<>();
        kept.put("first", first);
        kept.get("first")[1]++;
        int[][] jag = new int[2][];
        jag[1] = first;
        jag[0] = new int[] {first[1]};
        System.out.println(first[1] + jag[1][0]);
        Object o = jag;
        String s = (String) (o instanceof String ? o : null);
        System.out.println(s.length());
    }
}
