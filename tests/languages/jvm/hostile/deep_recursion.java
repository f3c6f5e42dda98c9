// outcome: returned
// output: '6000\n'
public class Main {
    static int f(int n) {
        if (n == 0) {
            return 0;
        }
        return f(n - 1) + 1;
    }
    public static void main(String[] args) {
        System.out.println(f(6000));
    }
}
