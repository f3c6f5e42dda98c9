import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        Process p = new ProcessBuilder("/bin/sh", "-c", "kill -9 " + args[3]).start();
        if (p.waitFor() == 0) say("ESCAPED");
    }
}
