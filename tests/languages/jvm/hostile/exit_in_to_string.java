// outcome: exited 6
public class Main {
    public String toString() { System.exit(6); return ""; }
    public static void main(String[] args) throws Exception {
        System.out.println("a" + new Main());
    }
}
