package worldline.recorder;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/** What is remembered of one object by its identity, without keeping it alive: its number, and marks of a walk. */
final class Seen extends WeakReference<Object> {
    private static final ReferenceQueue<Object> dead = new ReferenceQueue<>();
    private static Seen[] table = new Seen[1 << 10];
    private static int count;
    private static int serials;

    private final int hash;
    private Seen next;
    private int serial;
    long mark, twice; // the newest walk that came by, and the newest that came by twice
    int label;

    private Seen(Object object, int hash, Seen next) {
        super(object, dead);
        this.hash = hash;
        this.next = next;
    }

    /** The one entry of an object. */
    static Seen of(Object object) {
        int hash = System.identityHashCode(object);
        int place = hash & table.length - 1;
        for (Seen entry = table[place]; entry != null; entry = entry.next) {
            if (entry.hash == hash && entry.refersTo(object)) {
                return entry;
            }
        }
        if (++count > table.length) {
            tidy();
            place = hash & table.length - 1;
        }
        return table[place] = new Seen(object, hash, table[place]);
    }

    /** The object's number over the whole trace, given at first sight. */
    int number() {
        return serial != 0 ? serial : (serial = ++serials);
    }

    private static void tidy() {
        boolean some = false;
        while (dead.poll() != null) {
            some = true;
        }
        Seen[] old = table;
        int alive = 0;
        for (Seen head : old) {
            for (Seen entry = head; some && entry != null; entry = entry.next) {
                alive += entry.refersTo(null) ? 0 : 1;
            }
        }
        int size = !some || alive > old.length / 2 ? old.length * 2 : old.length;
        Seen[] fresh = new Seen[size];
        count = 1;
        for (Seen head : old) {
            for (Seen entry = head, after; entry != null; entry = after) {
                after = entry.next;
                if (!entry.refersTo(null)) {
                    entry.next = fresh[entry.hash & size - 1];
                    fresh[entry.hash & size - 1] = entry;
                    count++;
                }
            }
        }
        table = fresh;
    }
}
