package dev.caravan.routes.destination;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.HexDump;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that are compared by content. */
@SuppressWarnings("ArrayRecordComponent")
public record Bytes(byte[] array) {
    public static final Bytes EMPTY = new Bytes(new byte[0]);

    public static Bytes of(String text) {
        return new Bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether the bytes are text in UTF-8 without control characters other than white space. */
    public boolean isText() {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(array))
                    .chars()
                    .allMatch(c -> c >= ' ' && c != 0x7f || Character.isWhitespace(c));
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** Text unchanged; other bytes as hexadecimal digits, at most the first 512. */
    public String shown() {
        return isText()
                ? text()
                : "binary, " + Formatted.counted(array.length, "byte") + HexDump.of(array, 512, "\n    ");
    }

    public boolean isEmpty() {
        return array.length == 0;
    }

    /** As UTF-8. */
    public String text() {
        return new String(array, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes bytes && Arrays.equals(array, bytes.array);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(array);
    }

    @Override
    public String toString() {
        return text();
    }
}
