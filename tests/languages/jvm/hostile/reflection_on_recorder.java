// outcome: returned
// output: 'refused refused refused\n'
// plain: skip
import java.lang.invoke.*;
import java.lang.reflect.*;
public class Main {
    interface Try { void act() throws Throwable; }
    static String attempt(Try t) {
        try {
            t.act();
            return "reached";
        } catch (Throwable refused) {
            return "refused";
        }
    }
    public static void main(String[] args) throws Exception {
        Class<?> wire = Class.forName("worldline.recorder.Wire");
        String field = attempt(() -> { Field f = wire.getDeclaredField("steps"); f.setAccessible(true); f.setLong(null, 0); });
        String method = attempt(() -> { Method m = wire.getDeclaredMethod("end", String.class, String.class); m.setAccessible(true); m.invoke(null, "returned", "forged"); });
        String handle = attempt(() -> MethodHandles.privateLookupIn(wire, MethodHandles.lookup())
                .findStatic(wire, "end", MethodType.methodType(void.class, String.class, String.class)).invoke("returned", "x"));
        System.out.println(field + " " + method + " " + handle);
    }
}
