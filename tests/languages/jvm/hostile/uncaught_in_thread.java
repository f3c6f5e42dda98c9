// outcome: returned
// note: threads
// output: 'main\n'
public class Main {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { throw new IllegalStateException("other"); });
        t.start();
        t.join();
        System.out.println("main");
    }
}
