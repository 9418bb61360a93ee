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
    private boolean isPacked;

    /** @param discard closes the connection, because the rest of a long body would otherwise be read to use it again */
    LimitedAnswer(HttpEntity answer, int limit, RunningRequest request, Runnable discard) {
        super(answer);
        this.limit = limit;
        this.request = request;
        this.discard = discard;
    }

    /** Makes the content be unpacked with gzip. */
    void unpack() {
        isPacked = true;
    }

    @Override
    public InputStream getContent() throws IOException {
        InputStream content = super.getContent();
        return new Limited(isPacked ? new Gunzipped(content, limit) : content);
    }

    /** Unknown of a packed content, and above the limit: readers of HttpClient's own allocate as much as is announced. */
    @Override
    public long getContentLength() {
        long announced = super.getContentLength();
        return isPacked || announced > limit ? -1 : announced;
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

    @Override
    public void close() throws IOException {
        request.close();
        super.close();
    }

    /** Says why the body is not complete. The cause may be of the connection, but its receiver has answered. */
    private static final class Incomplete extends IOException {
        private static final long serialVersionUID = 1;

        private Incomplete(String reason) {
            super(reason);
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
            int more = more(to, offset, (int) Math.min(length, limit - read + 1));
            isAtEnd |= more < 0;
            read += Math.max(more, 0);
            if (read > limit) {
                throw new Incomplete("the answer is longer than " + limit + " bytes (maxAnswerBytes)");
            }
            return more;
        }

        private int more(byte[] to, int offset, int length) throws IOException {
            try {
                return super.read(to, offset, length);
            } catch (IOException e) {
                throw new Incomplete("the answer is not complete: " + request.reason(e));
            }
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
