// outcome: limit steps
// limits: steps=2000
// plain: skip
public class Main {
    public static void main(String[] args) throws Exception {
        int n = 0;
        while (true) {
            n++;
        }
    }
}
