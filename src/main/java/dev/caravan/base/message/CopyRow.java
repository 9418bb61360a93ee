package dev.caravan.base.message;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A row in the text format of COPY. */
final class CopyRow {
    static final byte[] NULL = {'\\', 'N'};

    private CopyRow() {}

    /** @param values the columns in order: {@link #NULL}, {@link #text} or {@link #bytea} */
    static byte[] of(byte[]... values) {
        ByteArrayOutputStream row = new ByteArrayOutputStream();
        for (int i = 0; i < values.length; i++) {
            row.writeBytes(values[i]);
            row.write(i == values.length - 1 ? '\n' : '\t');
        }
        return row.toByteArray();
    }

    /** Escapes a text in UTF-8. Bytes of its non-ASCII characters are never special characters of COPY. */
    static byte[] text(byte[] text) {
        ByteArrayOutputStream escaped = new ByteArrayOutputStream(text.length + 16);
        for (byte b : text) {
            switch (b) {
                case '\\' -> escaped.writeBytes(new byte[] {'\\', '\\'});
                case '\n' -> escaped.writeBytes(new byte[] {'\\', 'n'});
                case '\r' -> escaped.writeBytes(new byte[] {'\\', 'r'});
                case '\t' -> escaped.writeBytes(new byte[] {'\\', 't'});
                default -> escaped.write(b);
            }
        }
        return escaped.toByteArray();
    }

    /** Bytes as the type {@code bytea} reads them: {@code \x} and hexadecimal digits. */
    static byte[] bytea(byte[] bytes) {
        return text(("\\x" + HexFormat.of().formatHex(bytes)).getBytes(StandardCharsets.US_ASCII));
    }
}
