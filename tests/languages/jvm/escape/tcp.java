import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        try (Socket s = new Socket()) {
            s.connect(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[2])), 2000);
        }
        say("ESCAPED");
    }
}
