// outcome: limit output
// plain: skip
public class Main {
    public static void main(String[] args) throws Exception {
        while (true) {
            System.out.println("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        }
    }
}
