// outcome: limit processes | returned
// note: threads
// output: 'full\n'
// plain: skip
public class Main {
    public static void main(String[] args) throws Exception {
        int started = 0;
        try {
            for (int i = 0; i < 10000; i++) {
                Thread t = new Thread(() -> { try { Thread.sleep(100000); } catch (InterruptedException e) { } });
                t.setDaemon(true);
                t.start();
                started++;
            }
        } catch (OutOfMemoryError full) {
            System.out.println("full");
        }
    }
}
