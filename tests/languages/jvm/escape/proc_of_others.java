import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        for (String pid : new String[] {args[3], "1"}) {
            try {
                byte[] data = Files.readAllBytes(Path.of("/proc/" + pid + "/environ"));
                if (data.length > 0) say("ESCAPED " + pid);
            } catch (IOException refused) {
                say("refused");
            }
        }
        if (Files.exists(Path.of("/proc/" + args[3]))) say("ESCAPED");
    }
}
