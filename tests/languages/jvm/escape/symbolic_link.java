import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        Path link = Path.of("link");
        Files.createSymbolicLink(link, Path.of(args[0]));
        Files.readString(link);
        say("ESCAPED");
    }
}
