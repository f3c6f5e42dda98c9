// outcome: raised SecurityException | raised UnsupportedOperationException
public class Main {
    public static void main(String[] args) throws Exception {
        System.setSecurityManager(new SecurityManager() {
            public void checkExit(int status) { throw new SecurityException("no"); }
            public void checkPermission(java.security.Permission p) { }
        });
        System.exit(1);
    }
}
