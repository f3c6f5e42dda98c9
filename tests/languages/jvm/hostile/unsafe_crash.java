// outcome: killed SIGSEGV | killed SIGABRT
// perturbed: a crash report
import java.lang.reflect.Field;
public class Main {
    public static void main(String[] args) throws Exception {
        Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) f.get(null);
        int x = 1;
        unsafe.putLong(8L, 1L);
    }
}
