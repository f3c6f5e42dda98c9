// outcome: returned
// output: '7\n'
import java.lang.reflect.Field;
public class Main {
    int x = 1;
    public static void main(String[] args) throws Exception {
        Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) f.get(null);
        Main m = new Main();
        unsafe.putInt(m, unsafe.objectFieldOffset(Main.class.getDeclaredField("x")), 7);
        System.out.println(m.x);
    }
}
