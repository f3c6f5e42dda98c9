// outcome: raised StackOverflowError
import java.util.*;
public class Main {
    public static void main(String[] args) {
        List<Object> list = new ArrayList<>();
        list.add(list);
        list.hashCode();
    }
}
