// outcome: raised NoSuchElementException
public class Main {
    public static void main(String[] args) throws Exception {
        new java.util.Scanner(System.in).nextLine();
    }
}
