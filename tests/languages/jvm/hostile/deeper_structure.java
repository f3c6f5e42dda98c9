// outcome: returned
// output: '100000\n'
public class Main {
    public static void main(String[] args) {
        Object head = java.util.stream.Stream.<Object>iterate(1, java.util.Optional::of).skip(100000).findFirst().get();
        int n = head instanceof java.util.Optional ? 100000 : 0;
        System.out.println(n);
    }
}
