// outcome: exited 4
public class Main {
    public static void main(String[] args) throws Exception {
        try {
            throw new RuntimeException("a");
        } finally {
            System.exit(4);
        }
    }
}
