package worldline.recorder;

import java.math.BigDecimal;
import java.util.Arrays;

/** Texts of elements in the canonical order of docs/reference/format.md: by kind, then by number, then by their bytes. */
final class Unordered {
    private static final class Row implements Comparable<Row> {
        int rank;
        BigDecimal number = BigDecimal.ZERO;
        boolean odd; // nan and the infinities, which no decimal is
        byte[] key, whole;

        @Override
        public int compareTo(Row other) {
            int by = Integer.compare(rank, other.rank);
            by = by != 0 ? by : Boolean.compare(odd, other.odd);
            by = by != 0 ? by : number.compareTo(other.number);
            return by != 0 ? by : Arrays.compareUnsigned(key, other.key);
        }
    }

    private Row[] rows = new Row[8];
    private int count;

    /** An element and the text of it: the key up to `to`, all of it up to the text's end. */
    void add(Object item, Text text, int from, int to) {
        Row row = new Row();
        row.key = Arrays.copyOfRange(text.data, from, to);
        row.whole = Arrays.copyOfRange(text.data, from, text.length);
        int kind = item == null ? -1 : Shape.of(item.getClass()).kind;
        row.rank = item == null ? 0 : 7;
        if (kind == Shape.BOOLEAN) {
            row.rank = 1;
        } else if (kind == Shape.INTEGER) {
            row.rank = 2;
            row.number = BigDecimal.valueOf(((Number) item).longValue());
        } else if (kind == Shape.BIG) {
            row.rank = 2;
            row.number = new BigDecimal((java.math.BigInteger) item);
        } else if (kind == Shape.REAL) {
            double value = ((Number) item).doubleValue();
            row.rank = 3;
            row.odd = value != value;
            row.number = row.odd ? BigDecimal.ZERO : Double.isInfinite(value)
                    ? BigDecimal.TEN.pow(400).multiply(BigDecimal.valueOf(Math.signum(value))) : new BigDecimal(value);
        } else if (kind == Shape.STRING || kind == Shape.CHARACTER) {
            row.rank = 4;
        }
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, count * 2);
        }
        rows[count++] = row;
    }

    void write(Text to) {
        Arrays.sort(rows, 0, count);
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                to.put(", ");
            }
            for (byte b : rows[i].whole) {
                to.put(b);
            }
        }
    }
}
