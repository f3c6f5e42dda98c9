package worldline.recorder;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The program's System.in and System.out: what passes through them on the recorded thread is told as steps. */
final class Streams {
    private static final Pending out = new Pending(), in = new Pending();

    private Streams() {}

    /** Bytes that wait for the next event. */
    private static final class Pending {
        byte[] data = new byte[256];
        int length;

        void add(byte[] more, int from, int count) {
            if (length + count > data.length) {
                data = Arrays.copyOf(data, Math.max(data.length * 2, length + count));
            }
            System.arraycopy(more, from, data, length, count);
            length += count;
        }

        String take() {
            int n = length;
            length = 0;
            String text = new String(data, 0, n, StandardCharsets.UTF_8);
            return text.indexOf('\ufffd') < 0 ? text : escaped(data, n);
        }
    }

    /** Bytes that are not UTF-8 as lone surrogates, as Python's streams have them. */
    private static String escaped(byte[] data, int n) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; ) {
            int width = (data[i] & 0x80) == 0 ? 1 : (data[i] & 0xe0) == 0xc0 ? 2 : (data[i] & 0xf0) == 0xe0 ? 3 : 4;
            String one = i + width <= n ? new String(data, i, width, StandardCharsets.UTF_8) : "\ufffd";
            boolean whole = one.codePointCount(0, one.length()) == 1
                    && Arrays.equals(one.getBytes(StandardCharsets.UTF_8), Arrays.copyOfRange(data, i, i + width));
            text.append(whole ? one : String.valueOf((char) (0xdc00 + (data[i] & 0xff))));
            i += whole ? width : 1;
        }
        return text.toString();
    }

    private static boolean isTold() {
        return !Recorder.stopped && Thread.currentThread() == Recorder.thread && Recorder.top != null;
    }

    /** What was written and read since the last event becomes steps. */
    static void flush() {
        if (out.length > 0) {
            step(Wire.OUTPUT, out);
        }
        if (in.length > 0) {
            step(Wire.INPUT, in);
        }
    }

    private static void step(int tag, Pending pending) {
        Frame frame = Recorder.top;
        if (frame == null) {
            pending.length = 0;
            return;
        }
        Text text = Render.value(pending.take());
        if (tag == Wire.INPUT) {
            Wire.hidden("input", text);
        }
        Wire.step(frame.serial, tag, frame.line, text);
    }

    private static final class Out extends OutputStream {
        private final FileOutputStream file = new FileOutputStream(FileDescriptor.out);

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] data, int from, int count) throws IOException {
            file.write(data, from, count);
            if (isTold()) {
                if (in.length > 0) {
                    Streams.flush();
                }
                out.add(data, from, count);
            }
        }
    }

    private static final class In extends FilterInputStream {
        In(InputStream real) {
            super(real);
        }

        @Override
        public int read() throws IOException {
            int b = super.read();
            if (b >= 0) {
                tell(new byte[] {(byte) b}, 0, 1);
            }
            return b;
        }

        @Override
        public int read(byte[] data, int from, int count) throws IOException {
            int n = super.read(data, from, count);
            if (n > 0) {
                tell(data, from, n);
            }
            return n;
        }

        private void tell(byte[] data, int from, int count) {
            if (isTold()) {
                if (out.length > 0) {
                    flush();
                }
                Streams.in.add(data, from, count);
            }
        }
    }

    static void install() {
        System.setOut(new PrintStream(new Out(), true, StandardCharsets.UTF_8));
        System.setIn(new In(System.in));
    }
}
