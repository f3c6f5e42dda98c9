// outcome: returned | raised ThreadDeath
// perturbed: where it stops differs
// plain: skip
// note: threads
public class Main {
    @SuppressWarnings("removal")
    public static void main(String[] args) throws Exception {
        Thread me = Thread.currentThread();
        Thread t = new Thread(() -> { try { Thread.sleep(200); } catch (InterruptedException e) { } me.stop(); });
        t.start();
        int n = 0;
        while (n < 100000000) {
            n++;
            Thread.sleep(1);
        }
    }
}
