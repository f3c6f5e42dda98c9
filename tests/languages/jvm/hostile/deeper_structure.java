// outcome: returned
// output: '100000\n'
public class Main {
    Main next;
    public static void main(String[] args) {
        Main head = null;
        int n = 0;
        for (int i = 0; i < 100000; i++) { Main m = new Main(); m.next = head; head = m; n++; }
        System.out.println(n);
    }
}
