import java.io.*;
import java.nio.file.*;

/** What the program was prepared as is written over, as far as it can be: the host's own copy is another. */
public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    static void write(String path) {
        try {
            Files.writeString(Path.of(path), "poison");
            say("wrote " + path);
        } catch (IOException refused) {
            say("refused " + path);
        }
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        write(System.getProperty("java.class.path"));
        File[] parts = new File("/box/parts").listFiles();
        if (parts != null) for (File part : parts) write(part.getPath());
        for (String path : new String[] {"/usr/mark", "/worldline/guests/mark", "/worldline/guests/jvm/guest.py"}) {
            try {
                Files.writeString(Path.of(path), "poison");
                say("ESCAPED " + path);
            } catch (IOException refused) {
                say("refused");
            }
        }
    }
}
