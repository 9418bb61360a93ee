package dev.caravan.camel.httpclient;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Unpacks all members of a gzip stream (RFC 1952), and reads it to its end. {@link GZIPInputStream} takes a member for the last one if nothing of
 * the next has arrived yet, so an answer that is slow or cut there would look whole.
 */
final class Gunzipped extends InputStream {
    private static final int DEFLATE = 8;
    private static final int SUM_OF_HEAD = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;

    private final InputStream packed;
    private final long most;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 sum = new CRC32();
    private final byte[] buffer = new byte[8192];
    private int next;
    private int end;
    private long arrived;
    private boolean isFirst = true;
    private boolean isInMember;

    /** @param limit of what is unpacked; twice as much is read, because empty members may have no end either */
    Gunzipped(InputStream packed, int limit) {
        this.packed = packed;
        most = 2L * limit;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        while (length > 0 && (isInMember || begin())) {
            int more = inflated(to, offset, length);
            if (more > 0) {
                return more;
            }
            if (inflater.finished()) {
                endMember();
            } else {
                requireNext();
                inflater.setInput(buffer, next, end - next);
                next = end;
            }
        }
        return length == 0 ? 0 : -1;
    }

    private int inflated(byte[] to, int offset, int length) throws IOException {
        try {
            int more = inflater.inflate(to, offset, length);
            sum.update(to, offset, more);
            if (inflater.needsDictionary()) {
                throw new DataFormatException("it needs a dictionary");
            }
            return more;
        } catch (DataFormatException e) {
            throw invalid(e.getMessage());
        }
    }

    /** Reads the head of a member, if there is one. What else is behind the last one, such as zeros, is left out. */
    private boolean begin() throws IOException {
        if (!hasNext()) {
            return false; // also of an answer without a body
        }
        if (number(1) != 0x1f || number(1) != 0x8b) {
            if (isFirst) {
                throw invalid("it does not begin as gzip does");
            }
            while (hasNext()) {
                next = end;
            }
            return false;
        }
        if (number(1) != DEFLATE) {
            throw invalid("its method is unknown");
        }
        long flags = number(1);
        number(6);
        for (long extra = (flags & EXTRA) == 0 ? 0 : number(2); extra > 0; extra--) {
            number(1);
        }
        for (long texts = Long.bitCount(flags & (NAME | COMMENT)); texts > 0; texts--) {
            while (number(1) != 0) {
                // a letter
            }
        }
        if ((flags & SUM_OF_HEAD) != 0) {
            number(2);
        }
        isFirst = false;
        isInMember = true;
        return true;
    }

    private void endMember() throws IOException {
        next -= inflater.getRemaining();
        if (number(4) != sum.getValue() || number(4) != (inflater.getBytesWritten() & 0xffffffffL)) {
            throw invalid("its sum is another one");
        }
        inflater.reset();
        sum.reset();
        isInMember = false;
    }

    /** The lowest byte first. */
    private long number(int bytes) throws IOException {
        long number = 0;
        for (int i = 0; i < bytes; i++) {
            requireNext();
            number |= (buffer[next++] & 0xffL) << 8 * i;
        }
        return number;
    }

    private void requireNext() throws IOException {
        if (!hasNext()) {
            throw new EOFException("it ends in a packed part");
        }
    }

    private boolean hasNext() throws IOException {
        if (next == end) {
            next = 0;
            end = Math.max(packed.read(buffer), 0);
            arrived += end;
            if (arrived > most) {
                throw new IOException("more than " + most + " bytes are packed (twice maxAnswerBytes)");
            }
        }
        return next < end;
    }

    private static ZipException invalid(String reason) {
        return new ZipException("its packed content is not valid: " + reason);
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        packed.close();
    }
}
