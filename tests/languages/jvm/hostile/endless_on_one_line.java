// outcome: limit time
// limits: wall=3
// plain: skip
public class Main {
    public static void main(String[] args) throws Exception {
        for (int n = 0; ; n++) { }
    }
}
