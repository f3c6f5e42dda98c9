package worldline.compiler;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the pass learns of a program's methods, for the recorder (binary) and for the flow (JSON). */
final class Program {
    /** A method that is recorded. */
    static final class Recorded {
        String name, file;
        int line;
        List<String> names = new ArrayList<>();
        List<Integer> statics = new ArrayList<>();
        MethodFlow flow;
    }

    /** A static field of the program's: its class, its name, how a frame of its class calls it, its type's letter. */
    record StaticField(String owner, String field, String shown, char type) {}

    final List<Recorded> methods = new ArrayList<>();
    final Map<StaticField, Integer> statics = new LinkedHashMap<>();
    final List<String> tooLarge = new ArrayList<>();

    int staticField(StaticField field) {
        Integer found = statics.get(field);
        if (found == null) {
            statics.put(field, found = statics.size());
        }
        return found;
    }

    /** As worldline.recorder.Code reads it. */
    byte[] forRecorder() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(statics.size());
        for (StaticField field : statics.keySet()) {
            out.writeUTF(field.owner());
            out.writeUTF(field.field());
            out.writeUTF(field.shown());
            out.writeUTF(String.valueOf(field.type()));
        }
        out.writeShort(methods.size());
        for (Recorded method : methods) {
            out.writeUTF(method.name);
            out.writeUTF(method.file);
            out.writeInt(method.line);
            out.writeShort(method.names.size());
            for (String name : method.names) {
                out.writeUTF(name);
            }
            out.writeShort(method.statics.size());
            for (int field : method.statics) {
                out.writeShort(field);
            }
        }
        return bytes.toByteArray();
    }

    /** The flow part: what may follow what, of each method. */
    String flow() {
        List<StaticField> fields = new ArrayList<>(statics.keySet());
        StringBuilder out = new StringBuilder("{\"functions\": [");
        for (int i = 0; i < methods.size(); i++) {
            Recorded method = methods.get(i);
            List<String> names = new ArrayList<>(method.names);
            for (int field : method.statics) {
                names.add(fields.get(field).shown());
            }
            out.append(i > 0 ? ",\n" : "").append("{\"name\": ").append(Json.text(method.name));
            out.append(", \"file\": ").append(Json.text(method.file)).append(", \"line\": ").append(method.line);
            method.flow.write(out);
            out.append(", \"names\": ").append(Json.texts(names)).append('}');
        }
        List<String> globals = new ArrayList<>();
        fields.forEach(field -> globals.add(field.shown()));
        return out.append("], \"globals\": ").append(Json.texts(globals)).append("}").toString();
    }
}
