// outcome: limit time
// limits: wall=3
// plain: skip
public class Main {
    public static void main(String[] args) throws Exception {
        Thread.sleep(1000000);
    }
}
