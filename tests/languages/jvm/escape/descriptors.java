import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        for (int fd = 3; fd < 1024; fd++) {
            Path link = Path.of("/proc/self/fd/" + fd);
            if (Files.isSymbolicLink(link)) {
                String target = Files.readSymbolicLink(link).toString();
                if (target.contains("memfd") || target.contains("wire")) say("ESCAPED " + target);
            }
        }
    }
}
