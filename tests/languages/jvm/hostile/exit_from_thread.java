// outcome: exited 9
// note: threads
public class Main {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> System.exit(9));
        t.start();
        int n = 0;
        while (true) {
            n++;
            Thread.sleep(1);
        }
    }
}
