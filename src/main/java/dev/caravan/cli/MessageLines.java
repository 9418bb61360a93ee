package dev.caravan.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Splits a stream of any length into lines. Holds one line in memory, of at most {@link #MAX_BYTES} bytes. */
final class MessageLines {
    /** Far above the limit of any destination. Bounds the memory for a file without line ends. */
    static final int MAX_BYTES = 64 * 1024 * 1024;

    private final InputStream in;
    private final int maxBytes;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean tooLong;
    private long number;

    MessageLines(InputStream in) {
        this(in, MAX_BYTES);
    }

    MessageLines(InputStream in, int maxBytes) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.maxBytes = maxBytes;
    }

    /** Reads the next line; returns false at the end of the stream. */
    boolean advance() throws IOException {
        line.reset();
        tooLong = false;
        int read = in.read();
        if (read < 0) {
            return false;
        }
        number++;
        for (; read >= 0 && read != '\n'; read = in.read()) {
            tooLong = tooLong || line.size() == maxBytes;
            if (!tooLong) {
                line.write(read);
            }
        }
        return true;
    }

    /** The bytes of the line, without the line end. */
    byte[] bytes() {
        return line.toByteArray();
    }

    boolean isBlank() {
        for (byte one : bytes()) {
            if (one > ' ' || one < 0) {
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
