// outcome: returned
// output: 'true\n'
public class Main {
    public static void main(String[] args) throws Exception {
        ClassLoader loader = new ClassLoader(null) {
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                try (var in = Main.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
                    byte[] data = in.readAllBytes();
                    return defineClass(name, data, 0, data.length);
                } catch (java.io.IOException e) {
                    throw new ClassNotFoundException(name);
                }
            }
        };
        Class<?> twin = loader.loadClass("Main");
        System.out.println(twin != Main.class);
    }
}
