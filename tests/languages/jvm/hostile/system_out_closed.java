// outcome: returned
// output: ''
public class Main {
    public static void main(String[] args) throws Exception {
        System.out.close();
        System.out.println("lost");
        int x = 1;
    }
}
