// outcome: returned
// output: '2\n'
public class Main {
    static int f() {
        try {
            throw new RuntimeException("lost");
        } finally {
            return 2;
        }
    }
    public static void main(String[] args) throws Exception {
        System.out.println(f());
    }
}
