// outcome: exited 8
public class Main {
    public static void main(String[] args) throws Exception {
        java.util.function.IntConsumer end = System::exit;
        end.accept(8);
    }
}
