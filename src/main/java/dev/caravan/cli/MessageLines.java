package dev.caravan.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Splits a stream of any length into lines. Holds one line in memory, of at most {@link #MAX_BYTES} bytes. */
final class MessageLines {
    /** Far above the limit of any destination. Bounds the memory for a file without line ends. */
    static final int MAX_BYTES = 64 * 1024 * 1024;

    private final InputStream in;
    private final int maxBytes;
    private final byte[] buffer = new byte[64 * 1024];
    private int next;
    private int end;
    private byte[] line = new byte[1024];
    private int length;
    private boolean tooLong;
    private long number;

    MessageLines(InputStream in) {
        this(in, MAX_BYTES);
    }

    MessageLines(InputStream in, int maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /** Reads the next line; returns false at the end of the stream. */
    boolean advance() throws IOException {
        length = 0;
        tooLong = false;
        boolean any = false;
        while (next < end || fill()) {
            any = true;
            int lineEnd = indexOfLineEnd();
            append(lineEnd);
            next = lineEnd + 1;
            if (lineEnd < end) {
                break;
            }
            next = end;
        }
        number += any ? 1 : 0;
        return any;
    }

    private boolean fill() throws IOException {
        next = 0;
        end = Math.max(0, in.read(buffer));
        return end > 0;
    }

    private int indexOfLineEnd() {
        for (int i = next; i < end; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return end;
    }

    private void append(int to) {
        int more = to - next;
        if (tooLong || length + more > maxBytes) {
            tooLong = true;
            return;
        }
        if (length + more > line.length) {
            line = Arrays.copyOf(line, Math.min(maxBytes, Math.max(length + more, line.length * 2)));
        }
        System.arraycopy(buffer, next, line, length, more);
        length += more;
    }

    /** The bytes of the line, without the line end. */
    byte[] bytes() {
        return Arrays.copyOf(line, length);
    }

    boolean isBlank() {
        for (int i = 0; i < length; i++) {
            if (line[i] > ' ' || line[i] < 0) {
                return false;
            }
        }
        return !tooLong;
    }

    boolean isTooLong() {
        return tooLong;
    }

    /** The line number, starting at 1. */
    long number() {
        return number;
    }
}
