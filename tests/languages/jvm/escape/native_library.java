import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        Path file = Path.of("evil.so").toAbsolutePath();
        Files.write(file, new byte[] {0x7f, 'E', 'L', 'F'});
        try {
            System.load(file.toString());
            say("ESCAPED");
        } catch (UnsatisfiedLinkError refused) {
            say("refused");
        }
        System.load(args[0]);
        say("ESCAPED");
    }
}
