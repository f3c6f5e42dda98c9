// outcome: returned
// note: threads
// output: 'late\n'
public class Main {
    public static void main(String[] args) throws Exception {
        new Thread(() -> { try { Thread.sleep(300); } catch (InterruptedException e) { } System.out.println("late"); }).start();
    }
}
