// outcome: unsupported source: the package worldline.recorder
// name: worldline/recorder/Hook.java
// plain: skip
package worldline.recorder;
public class Hook {
    static void line() { System.out.println("mine"); }
    public static void main(String[] args) {
        line();
    }
}
