// outcome: raised NullPointerException
public class Main {
    public static void main(String[] args) throws Exception {
        System.setOut(null);
        System.out.println("lost");
    }
}
