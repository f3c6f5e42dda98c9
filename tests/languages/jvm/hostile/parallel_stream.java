// outcome: returned
// output: '499500\n'
public class Main {
    public static void main(String[] args) throws Exception {
        int sum = java.util.stream.IntStream.range(0, 1000).parallel().map(x -> x).sum();
        System.out.println(sum);
    }
}
