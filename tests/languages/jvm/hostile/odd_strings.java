// outcome: returned
public class Main {
    public static void main(String[] args) throws Exception {
        String s = "\ud800 \u2028 \u0000 \u202e q\' \" \\ \ud83d\ude00";
        char c = (char) 0xdfff;
        int été = 1;
        int $x = 2;
        int _y = 3;
    }
}
