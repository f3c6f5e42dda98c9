// outcome: returned
// stdin: '3 4\nrest\n'
// output: '7 rest\n'
public class Main {
    public static void main(String[] args) throws Exception {
        java.util.Scanner in = new java.util.Scanner(System.in);
        int a = in.nextInt();
        int b = in.nextInt();
        in.nextLine();
        String s = in.nextLine();
        System.out.println(a + b + " " + s);
    }
}
