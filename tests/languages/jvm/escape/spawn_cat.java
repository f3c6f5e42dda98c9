import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        Process p = new ProcessBuilder("/bin/cat", args[0]).start();
        String text = new String(p.getInputStream().readAllBytes());
        if (!text.isEmpty()) say("ESCAPED " + text);
    }
}
