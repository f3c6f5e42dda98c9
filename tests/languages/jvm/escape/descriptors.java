import java.io.*;

/** What a program finds open beside its three streams: files of the JDK, of the recorder and of its own parts, to read, and no more. */
public class Main {
    static void say(String text) {
        System.out.println(text);
    }

    static boolean writes(String path) {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    public static void main(String[] args) throws IOException {
        say("tried");
        int seen = 0;
        for (int fd = 3; fd < 4096; fd++) {
            String link = "/proc/self/fd/" + fd;
            String target = new File(link).getCanonicalPath();
            if (target.endsWith("/fd/" + fd)) continue;
            seen++;
            boolean own = target.startsWith(System.getProperty("java.home")) || target.startsWith("/box/parts/") || target.startsWith("/worldline/tools/");
            if (!own || !new File(target).exists()) say("ESCAPED " + fd + " is " + target);
            if (!target.startsWith("/box/") && writes(link)) say("ESCAPED " + fd + " can be written");
        }
        if (seen == 0) say("ESCAPED nothing is seen: the probe is blind");
        String[] maps = new File("/proc/self/map_files").list();
        for (String map : maps == null ? new String[0] : maps) {
            String target = new File("/proc/self/map_files/" + map).getCanonicalPath();
            if (target.contains("memfd") && writes("/proc/self/map_files/" + map)) say("ESCAPED " + target);
        }
    }
}
