import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        for (String device : new String[] {"/dev/mem", "/dev/kmsg", "/dev/sda"}) {
            try (InputStream in = new FileInputStream(device)) {
                say("ESCAPED " + device);
            } catch (IOException refused) {
                say("refused");
            }
        }
    }
}
