// outcome: returned
// output: ''
public class Main {
    public static void main(String[] args) throws Exception {
        System.setOut(new java.io.PrintStream(new java.io.ByteArrayOutputStream()));
        System.out.println("lost");
        int x = 1;
    }
}
