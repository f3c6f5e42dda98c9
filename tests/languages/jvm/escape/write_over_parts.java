import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        String path = System.getProperty("java.class.path");
        Files.writeString(Path.of("/usr/mark"), path);
        say("ESCAPED");
    }
}
