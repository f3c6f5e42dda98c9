package worldline.recorder;

import java.util.Arrays;

/** The direct contents of one object, read without a call of its methods: references, and numbers as bits. */
final class Cells {
    Object[] refs = new Object[64];
    int count;
    long[] bits = new long[16];
    int numbers;

    void clear() {
        count = numbers = 0;
    }

    void add(Object ref) {
        if (count == refs.length) {
            refs = Arrays.copyOf(refs, count * 2);
        }
        refs[count++] = ref;
    }

    void add(long number) {
        if (numbers == bits.length) {
            bits = Arrays.copyOf(bits, numbers * 2);
        }
        bits[numbers++] = number;
    }

    /** Nothing of the program's is kept alive. */
    void forget() {
        Arrays.fill(refs, 0, count, null);
        clear();
    }
}
