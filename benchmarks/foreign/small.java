import java.util.ArrayList;

public class Main {
    public static void main(String[] args) {
        ArrayList<Integer> seen = new ArrayList<>();
        int total = 0;
        for (int i = 0; i < 5; i++) {
            total += i;
            seen.add(total);
        }
        System.out.println(total);
    }
}
