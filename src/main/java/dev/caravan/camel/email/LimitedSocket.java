package dev.caravan.camel.email;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.step.AnswerLimits;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * A connection for one conversation of limited time and length. The timeout of a read limits the whole reply to a command, and not only the
 * wait for its next byte: a server could otherwise send lines without end.
 */
final class LimitedSocket extends Socket {
    private final AnswerLimits limits;
    private final Clock clock;
    private final long begin;
    private volatile long lastWrite;

    LimitedSocket(AnswerLimits limits, Clock clock) {
        this.limits = limits;
        this.clock = clock;
        begin = clock.nanos();
        lastWrite = begin;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new Replies(super.getInputStream());
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return new Commands(super.getOutputStream());
    }

    private void requireTime(long since, long millis) throws SocketTimeoutException {
        if (millis > 0 && clock.nanos() - since > TimeUnit.MILLISECONDS.toNanos(millis)) {
            throw new SocketTimeoutException("not complete within " + millis + " ms");
        }
    }

    private void requireTime() throws SocketTimeoutException, SocketException {
        requireTime(begin, Math.max(limits.getAttemptTimeout(), getSoTimeout()));
    }

    private final class Replies extends FilterInputStream {
        private long read;

        private Replies(InputStream replies) {
            super(replies);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            requireTime();
            requireTime(lastWrite, getSoTimeout());
            int more = super.read(to, offset, length);
            read += Math.max(more, 0);
            if (read > limits.getMaxAnswerBytes()) {
                throw new ProtocolException(
                        "the replies are longer than " + limits.getMaxAnswerBytes() + " bytes (maxAnswerBytes)");
            }
            return more;
        }
    }

    private final class Commands extends FilterOutputStream {
        private Commands(OutputStream commands) {
            super(commands);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            requireTime();
            long start = clock.nanos();
            try {
                out.write(from, offset, length);
            } catch (SocketException e) {
                requireTime(start, limits.getAttemptTimeout()); // the library closes the socket then
                throw e;
            }
            lastWrite = clock.nanos();
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }
    }
}
