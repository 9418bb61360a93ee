package dev.caravan.camel.httpclient;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;

/** The body of an answer, of which a limited number of bytes is read in a limited time. */
final class LimitedAnswer extends HttpEntityWrapper {
    private final int limit;
    private final RunningRequest request;
    private final Runnable discard;

    /** @param discard closes the connection, because the rest of a long body would otherwise be read to use it again */
    LimitedAnswer(HttpEntity answer, int limit, RunningRequest request, Runnable discard) {
        super(answer);
        this.limit = limit;
        this.request = request;
        this.discard = discard;
    }

    @Override
    public InputStream getContent() throws IOException {
        return new Limited(super.getContent());
    }

    /** Limits the body after it was unpacked. */
    InputStream limited(InputStream unpacked) {
        return unpacked instanceof Limited ? unpacked : new Limited(unpacked);
    }

    /** Unknown if it is above the limit: readers of HttpClient's own allocate as much as is announced. */
    @Override
    public long getContentLength() {
        long announced = super.getContentLength();
        return announced > limit ? -1 : announced;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        try (InputStream content = getContent()) {
            content.transferTo(out);
        }
    }

    @Override
    public boolean isRepeatable() {
        return false;
    }

    /** Why the body is not complete. */
    String reason(IOException failure) {
        return failure instanceof TooLong
                ? failure.getMessage()
                : "the answer is not complete: " + request.reason(failure);
    }

    @Override
    public void close() throws IOException {
        request.close();
        super.close();
    }

    private static final class TooLong extends IOException {
        private static final long serialVersionUID = 1;

        private TooLong(int limit) {
            super("the answer is longer than " + limit + " bytes (maxAnswerBytes)");
        }
    }

    private final class Limited extends FilterInputStream {
        private long read;
        private boolean isAtEnd;

        private Limited(InputStream content) {
            super(content);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            int more = super.read(to, offset, (int) Math.min(length, limit - read + 1));
            isAtEnd |= more < 0;
            read += Math.max(more, 0);
            if (read > limit) {
                throw new TooLong(limit);
            }
            return more;
        }

        @Override
        public boolean markSupported() {
            return false;
        }

        /** Reads a short rest, so that the connection can be used again, and closes the connection before a long one. */
        @Override
        public void close() {
            try {
                byte[] rest = new byte[8192];
                while (!isAtEnd) {
                    read(rest, 0, rest.length);
                }
                super.close();
            } catch (IOException e) {
                discard.run(); // the status of the answer is known, so its attempt does not fail
            } finally {
                request.close();
            }
        }
    }
}
