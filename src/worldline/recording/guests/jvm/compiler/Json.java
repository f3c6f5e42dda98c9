package worldline.compiler;

import java.util.Collection;
import java.util.Map;

/** JSON, written. */
final class Json {
    private Json() {}

    static String text(String value) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || c > 0x7e) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    static String texts(Collection<String> values) {
        StringBuilder out = new StringBuilder("[");
        for (String value : values) {
            out.append(out.length() > 1 ? ", " : "").append(text(value));
        }
        return out.append(']').toString();
    }

    static String numbers(Map<Integer, ? extends Collection<Integer>> values) {
        StringBuilder out = new StringBuilder("{");
        values.forEach((key, value) -> {
            if (!value.isEmpty()) {
                out.append(out.length() > 1 ? ", " : "").append('"').append(key).append("\": ").append(value);
            }
        });
        return out.append('}').toString();
    }
}
