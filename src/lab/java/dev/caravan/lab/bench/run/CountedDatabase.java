package dev.caravan.lab.bench.run;

import dev.caravan.lab.servers.TcpProxy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The address of a database at which a relay's statements are counted: a proxy counts the messages Execute and Query of Postgres'
 * protocol. Begin, commit and the check of a pooled connection are statements too. Connections must not be encrypted.
 */
public final class CountedDatabase implements AutoCloseable {
    private static final int DEFAULT_PORT = 5432;
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;
    /** Length and code. */
    private static final int START_HEADER = 8;
    /** Type and length; the length does not include the type. */
    private static final int MESSAGE_HEADER = 5;
    /** A first message that is longer is not one of this protocol: the connection is encrypted. */
    private static final int LONGEST_START = 10_000;

    private final LongAdder statements = new LongAdder();
    private final TcpProxy proxy;
    private final String url;
    private volatile boolean encrypted;

    /** @param url the JDBC URL of the database */
    public CountedDatabase(String url) throws IOException {
        URI address = URI.create(url.substring("jdbc:".length()));
        int port = address.getPort() < 0 ? DEFAULT_PORT : address.getPort();
        proxy = TcpProxy.listening(new InetSocketAddress(address.getHost(), port), Client::new);
        this.url = url.replaceFirst("//[^/]+/", "//localhost:" + proxy.port() + "/");
    }

    /** The settings of a relay that is counted. */
    public Map<String, String> settings() {
        return Map.of("caravan.db.url", url);
    }

    /** Statements so far, of all relays with this address. */
    public long statements() {
        if (encrypted) {
            throw new IllegalStateException(
                    "Statements cannot be counted on an encrypted connection. Use a --database-url without TLS.");
        }
        return statements.sum();
    }

    @Override
    public void close() throws IOException {
        proxy.close();
    }

    /** Splits what a client sends into messages. */
    private final class Client implements TcpProxy.Listener {
        private boolean started;
        private long header;
        private int bytesOfHeader;
        private int left;

        @Override
        public void sent(byte[] piece, int length) {
            int i = 0;
            while (i < length && !encrypted) {
                if (left > 0) {
                    int skipped = Math.min(left, length - i);
                    left -= skipped;
                    i += skipped;
                } else {
                    add(piece[i++]);
                }
            }
        }

        private void add(byte next) {
            header = header << 8 | next & 0xff;
            if (++bytesOfHeader == (started ? MESSAGE_HEADER : START_HEADER)) {
                if (started) {
                    message((char) (header >> 32), (int) header);
                } else {
                    start((int) (header >> 32), (int) header);
                }
                header = 0;
                bytesOfHeader = 0;
            }
        }

        /** A client that requests encryption starts again, because the server refuses. */
        private void start(int length, int code) {
            if (length > LONGEST_START) {
                encrypted = true;
            }
            started = code != SSL_REQUEST && code != GSS_REQUEST;
            left = length - START_HEADER;
        }

        private void message(char type, int length) {
            if (type == 'E' || type == 'Q') {
                statements.increment();
            }
            left = length - Integer.BYTES;
        }
    }
}
