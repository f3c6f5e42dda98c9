// outcome: returned
// note: threads
// output: '6\n'
public class Main {
    static int sum;
    static synchronized void add(int n) {
        sum += n;
    }
    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < 3; i++) {
            int n = i + 1;
            threads[i] = new Thread(() -> add(n));
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        System.out.println(sum);
    }
}
