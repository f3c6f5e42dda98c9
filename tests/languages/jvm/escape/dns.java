import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        say("tried");
        InetAddress a = InetAddress.getByName("example.org");
        say("ESCAPED " + a);
    }
}
