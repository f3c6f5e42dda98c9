import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        Path java = Path.of(System.getProperty("java.home"), "lib", "modules");
        try (var out = Files.newOutputStream(java, StandardOpenOption.WRITE)) {
            say("ESCAPED");
        }
    }
}
