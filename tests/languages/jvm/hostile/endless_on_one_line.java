// outcome: limit time
// limits: wall=3
// plain: skip
public class Main {
    public static void main(String[] args) throws Exception {
        java.util.stream.IntStream.iterate(0, Math::abs).forEach(Math::abs);
    }
}
