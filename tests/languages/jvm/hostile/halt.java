// outcome: exited 3
public class Main {
    public static void main(String[] args) throws Exception {
        int x = 1;
        Runtime.getRuntime().halt(3);
    }
}
