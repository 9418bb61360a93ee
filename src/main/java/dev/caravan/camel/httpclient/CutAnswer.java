package dev.caravan.camel.httpclient;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.camel.Exchange;
import org.apache.camel.StreamCache;

/** The body after an answer that was not read to its end. The receiver accepted the message, but a step that reads the answer fails. */
final class CutAnswer extends InputStream implements StreamCache {
    private final String reason;

    CutAnswer(String reason) {
        this.reason = reason;
    }

    @Override
    public int read() throws IOException {
        throw new IOException(reason);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        throw new IOException(reason);
    }

    @Override
    public synchronized void reset() {
        // each read fails
    }

    @Override
    public StreamCache copy(Exchange exchange) {
        return this;
    }

    @Override
    public boolean inMemory() {
        return true;
    }

    /** Not known, but not 0, which some steps treat as no body. */
    @Override
    public long length() {
        return 1;
    }

    @Override
    public long position() {
        return 0;
    }
}
