package worldline.recorder;

import java.io.DataInputStream;
import java.io.IOException;

/** What is known of a method once: its name, its file and line, the names of its frames, the statics that it uses. */
final class Code {
    final String name, file;
    final int line;
    final String[] names;
    final Static[] statics;
    private final int[] ids;
    private int nameId = -1, fileId;

    private Code(DataInputStream in, Static[] known) throws IOException {
        name = in.readUTF();
        file = in.readUTF();
        line = in.readInt();
        names = new String[in.readUnsignedShort()];
        for (int i = 0; i < names.length; i++) {
            names[i] = in.readUTF();
        }
        statics = new Static[in.readUnsignedShort()];
        ids = new int[names.length + statics.length];
        for (int i = 0; i < statics.length; i++) {
            statics[i] = known[in.readUnsignedShort()];
        }
        java.util.Arrays.fill(ids, -1);
    }

    /** All methods of a program, by number, as the compiler's side wrote them. */
    static Code[] read(DataInputStream in) throws IOException {
        Static[] statics = new Static[in.readUnsignedShort()];
        for (int i = 0; i < statics.length; i++) {
            statics[i] = new Static(in.readUTF(), in.readUTF(), in.readUTF(), in.readUTF().charAt(0));
        }
        Code[] codes = new Code[in.readUnsignedShort()];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = new Code(in, statics);
        }
        return codes;
    }

    int nameId() {
        if (nameId < 0) {
            int found = Wire.name(name);
            fileId = Wire.name(file);
            nameId = found;
        }
        return nameId;
    }

    int fileId() {
        return fileId;
    }

    /** The id of the k-th name; behind the names of variables come those of statics. */
    int id(int k) {
        return ids[k] >= 0 ? ids[k] : (ids[k] = Wire.name(k < names.length ? names[k] : statics[k - names.length].name));
    }
}
