import java.io.*;

/** What the box shows of the host's folders: only what the interpreter and the JDK need, and the way there. */
public class Main {
    static String[] needed;

    static void say(String text) {
        System.out.println(text);
    }

    static void look(String folder, int depth) {
        String[] names = new File(folder).list();
        if (names == null || depth > 8) return;
        for (String name : names) {
            String path = folder + "/" + name;
            boolean inside = false, above = false;
            for (String one : needed) {
                inside |= path.equals(one) || path.startsWith(one + "/");
                above |= one.startsWith(path + "/");
            }
            if (above && !inside) look(path, depth + 1);
            if (!above && !inside) say("ESCAPED " + path);
        }
    }

    public static void main(String[] args) {
        say("tried");
        needed = args[5].split(":");
        for (String folder : "/home /root /work /var /opt /srv /mnt /media /run /tmp /data /boot /sys".split(" ")) look(folder, 0);
        for (String file : "/etc/passwd /etc/shadow /etc/ssh /etc/hostname /etc/hosts /etc/machine-id".split(" ")) {
            if (new File(file).exists()) say("ESCAPED " + file);
        }
    }
}
