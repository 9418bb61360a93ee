package dev.caravan.camel.outbox;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A receiver that answers byte by byte what a test writes, one request per connection. A test need not close it. */
final class RawHttp implements AutoCloseable {
    static final String OK = "HTTP/1.1 200 OK\r\n";
    static final String EMPTY = OK + "Content-Length: 0\r\nConnection: close\r\n\r\n";

    /** A request as it arrived. */
    record Request(String line, List<String> head, byte[] body) {
        Optional<String> header(String name) {
            String begin = name.toLowerCase(Locale.ROOT) + ":";
            return head.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(begin))
                    .map(line -> line.substring(begin.length()).strip())
                    .findFirst();
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** Writes the answer. A failed write ends it. */
    interface Reply {
        void write(Request request, Out out) throws Exception;
    }

    /** The connection to the client. */
    record Out(Socket socket) {
        Out text(String text) throws IOException {
            return bytes(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        Out bytes(byte[] bytes) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
            return this;
        }
    }

    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ServerSocket server;
    private final Reply reply;
    private final boolean readsBody;
    private volatile String greeting = "";

    private RawHttp(Reply reply, boolean readsBody) throws IOException {
        LeftOpenOutboxes.OPEN.add(this);
        this.reply = reply;
        this.readsBody = readsBody;
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads.execute(this::listen);
    }

    static RawHttp start(Reply reply) throws IOException {
        return new RawHttp(reply, true);
    }

    /** Answers after the head of a request, and reads no body. */
    static RawHttp withoutReadingBodies(Reply reply) throws IOException {
        return new RawHttp(reply, false);
    }

    /** Writes a text as soon as a connection is open, and closes it. */
    static RawHttp greeting(String text) throws IOException {
        RawHttp server = new RawHttp((request, out) -> {}, false);
        server.greeting = text;
        return server;
    }

    static RawHttp answering(String answer) throws IOException {
        return start((request, out) -> out.text(answer));
    }

    String url() {
        return "http://localhost:" + server.getLocalPort();
    }

    List<Request> requests() {
        return requests;
    }

    private void listen() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                threads.execute(() -> answer(socket));
            } catch (IOException e) {
                return; // the end of the test
            }
        }
    }

    private void answer(Socket socket) {
        try (socket) {
            if (!greeting.isEmpty()) {
                new Out(socket).text(greeting);
                return;
            }
            Request request = read(new BufferedInputStream(socket.getInputStream()));
            requests.add(request);
            reply.write(request, new Out(socket));
        } catch (Exception e) {
            // the client ended the connection
        }
    }

    private Request read(InputStream in) throws IOException {
        List<String> head = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                if (line.isEmpty()) {
                    break;
                }
                head.add(line.toString());
                line.setLength(0);
            } else if (b != '\r') {
                line.append((char) b);
            }
        }
        Request headOnly = new Request(head.get(0), head, new byte[0]);
        int length = headOnly.header("Content-Length").map(Integer::parseInt).orElse(0);
        boolean isChunked = headOnly.header("Transfer-Encoding").isPresent();
        return readsBody ? new Request(head.get(0), head, isChunked ? chunks(in) : in.readNBytes(length)) : headOnly;
    }

    private static byte[] chunks(InputStream in) throws IOException {
        var body = new java.io.ByteArrayOutputStream();
        for (int size = size(in); size > 0; size = size(in)) {
            body.write(in.readNBytes(size));
            in.readNBytes(2);
        }
        return body.toByteArray();
    }

    private static int size(InputStream in) throws IOException {
        StringBuilder hex = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            hex.append((char) b);
        }
        return Integer.parseInt(hex.toString().strip(), 16);
    }

    @Override
    public void close() throws IOException {
        LeftOpenOutboxes.OPEN.remove(this);
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
