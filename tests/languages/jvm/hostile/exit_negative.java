// outcome: exited 255
public class Main {
    public static void main(String[] args) throws Exception {
        System.exit(-1);
    }
}
