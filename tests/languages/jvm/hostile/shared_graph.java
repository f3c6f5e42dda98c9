// outcome: returned
public class Main {
    public static void main(String[] args) throws Exception {
        Object[] a = {1};
        for (int i = 0; i < 30; i++) {
            a = new Object[] {a, a};
        }
        int x = 1;
    }
}
