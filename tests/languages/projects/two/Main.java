public class Main {
    public static void main(String[] a) {
        int x = Util.twice(4);
        System.out.println(x);
    }
}
