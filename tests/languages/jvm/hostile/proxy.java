// outcome: returned
// output: 'run\n'
public class Main {
    public static void main(String[] args) throws Exception {
        Runnable r = (Runnable) java.lang.reflect.Proxy.newProxyInstance(Main.class.getClassLoader(), new Class<?>[] {Runnable.class},
                (p, m, a) -> { System.out.println(m.getName()); return null; });
        r.run();
    }
}
