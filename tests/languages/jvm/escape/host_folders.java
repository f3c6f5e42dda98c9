import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        for (String folder : new String[] {"/home", "/var/log", "/etc/ssh"}) {
            File[] files = new File(folder).listFiles();
            if (files != null && files.length > 0) say("ESCAPED " + folder);
        }
    }
}
