// outcome: exited 5
public class Main {
    static { System.exit(5); }
    public static void main(String[] args) throws Exception {
        System.out.println(1);
    }
}
