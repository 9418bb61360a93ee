package dev.caravan.base.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/** Shows bytes as {@code hexdump -C} does: offset, 16 bytes in hexadecimal digits, and the same bytes as ASCII text. */
public final class HexDump {
    private static final int WIDTH = 16;
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

    private HexDump() {}

    /**
     * The first bytes, and the number of the other bytes if there are any.
     *
     * @param shown number of bytes to show
     * @param newLine line break, with any indentation, that is written before each line
     */
    public static String of(byte[] bytes, int shown, String newLine) {
        StringBuilder dump = new StringBuilder();
        int end = Math.min(bytes.length, shown);
        for (int from = 0; from < end; from += WIDTH) {
            dump.append(newLine).append(line(from, Arrays.copyOfRange(bytes, from, Math.min(end, from + WIDTH))));
        }
        if (end < bytes.length) {
            dump.append(newLine).append("… and ").append(Formatted.counted(bytes.length - end, "more byte"));
        }
        return dump.toString();
    }

    private static String line(int offset, byte[] bytes) {
        byte[] printable = bytes.clone();
        for (int i = 0; i < printable.length; i++) {
            if (printable[i] < ' ' || printable[i] > '~') {
                printable[i] = '.';
            }
        }
        return String.format(
                Locale.ROOT,
                "%08x  %-47s  |%s|",
                offset,
                HEX.formatHex(bytes),
                new String(printable, StandardCharsets.US_ASCII));
    }
}
