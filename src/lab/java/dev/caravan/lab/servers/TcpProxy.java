package dev.caravan.lab.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A proxy between clients and a server that breaks the connections on demand, or listens to them. One fault at a time; a new fault
 * replaces the previous one. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int BACKLOG = 100;
    private static final int REBIND_TRIES = 200;

    /** Receives what one client sends, in order. */
    @FunctionalInterface
    public interface Listener {
        /** @param length the number of bytes at the beginning of the array */
        void sent(byte[] piece, int length);
    }

    private enum Mode {
        PASS,
        DELAY,
        /** Accepts data and answers nothing, like a network that drops all packets. */
        SILENT,
        CUT,
        REFUSE
    }

    private final InetSocketAddress target;
    private final Supplier<Listener> listeners;
    private final int port;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private volatile ServerSocket listener;
    private Thread acceptor;
    private volatile Mode mode = Mode.PASS;
    private volatile Duration delay = Duration.ZERO;
    private volatile long bytesUntilCut;
    private volatile boolean closed;

    private TcpProxy(InetSocketAddress target, Supplier<Listener> listeners) throws IOException {
        this.target = target;
        this.listeners = listeners;
        listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        port = listener.getLocalPort();
        accept(listener);
    }

    /** A proxy on a free port, for a server on another port of this machine. It may be started before the server. */
    public static TcpProxy to(int port) throws IOException {
        return listening(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), () -> (piece, length) -> {});
    }

    /** A proxy on a free port of this machine that creates a listener for each connection. */
    public static TcpProxy listening(InetSocketAddress server, Supplier<Listener> listeners) throws IOException {
        return new TcpProxy(server, listeners);
    }

    public int port() {
        return port;
    }

    /** Ends the fault. Resets connections that have lost bytes while they were silent. */
    public synchronized void pass() throws IOException {
        Mode before = mode;
        mode = Mode.PASS;
        if (before == Mode.SILENT || before == Mode.CUT) {
            reset();
        }
        if (before == Mode.REFUSE && !closed) {
            listener = rebind();
            accept(listener);
        }
    }

    /** Delays all data in both directions. */
    public synchronized void delay(Duration time) throws IOException {
        pass();
        delay = time;
        mode = Mode.DELAY;
    }

    /** Drops all data without closing connections. New connections are accepted and get no answer. */
    public synchronized void dropData() throws IOException {
        pass();
        mode = Mode.SILENT;
    }

    /** Resets each connection, open or new, after this many more bytes of answers. */
    public synchronized void cutAfter(long bytes) throws IOException {
        pass();
        bytesUntilCut = bytes;
        connections.forEach(Connection::startCounting);
        mode = Mode.CUT;
    }

    /** Resets open connections and refuses new ones. */
    public synchronized void refuse() throws IOException {
        pass();
        mode = Mode.REFUSE;
        listener.close();
        awaitAcceptor();
        reset();
    }

    /** The kernel accepts connections as long as the thread is in accept. */
    private void awaitAcceptor() throws IOException {
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a proxy begins to refuse");
        }
    }

    /** Resets open connections; accepts new ones. */
    public void reset() {
        connections.forEach(Connection::reset);
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        listener.close();
        reset();
    }

    /** Retries while an outgoing connection uses the port. */
    private ServerSocket rebind() throws IOException {
        IOException refused = null;
        for (int i = 0; i < REBIND_TRIES; i++) {
            try {
                ServerSocket socket = new ServerSocket();
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
                return socket;
            } catch (IOException e) {
                refused = e;
                LockSupport.parkNanos(50_000_000);
            }
        }
        throw refused;
    }

    private void accept(ServerSocket from) {
        acceptor = daemon("proxy-" + port, () -> {
            while (!from.isClosed()) {
                try {
                    Connection connection = new Connection(from.accept());
                    connections.add(connection);
                    daemon("proxy-" + port + "-open", connection::open);
                } catch (IOException e) {
                    // closed by a fault, or by close()
                }
            }
        });
    }

    private static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private final class Connection {
        private final Socket client;
        private final Socket server = new Socket();
        private final Listener listener = listeners.get();
        private volatile long answered;

        private Connection(Socket client) {
            this.client = client;
        }

        private void open() {
            try {
                server.connect(target, 5_000);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                daemon("proxy-" + port + "-answers", () -> forward(server, client, true));
                forward(client, server, false);
            } catch (IOException e) {
                reset(); // the server is unavailable
            }
        }

        private void forward(Socket from, Socket to, boolean answers) {
            byte[] piece = new byte[16 * 1024];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                    pass(piece, length, out, answers);
                }
                if (mode != Mode.SILENT) {
                    to.shutdownOutput();
                }
                if (answers) {
                    close();
                }
            } catch (IOException e) {
                reset();
            }
        }

        private void pass(byte[] piece, int length, OutputStream out, boolean answers) throws IOException {
            if (!answers) {
                listener.sent(piece, length);
            }
            switch (mode) {
                case SILENT -> {} // dropped
                case CUT -> cut(piece, length, out, answers);
                case DELAY -> {
                    LockSupport.parkNanos(delay.toNanos());
                    out.write(piece, 0, length);
                }
                default -> out.write(piece, 0, length);
            }
        }

        private void cut(byte[] piece, int length, OutputStream out, boolean answers) throws IOException {
            long left = answers ? bytesUntilCut - answered : Long.MAX_VALUE;
            out.write(piece, 0, (int) Math.max(0, Math.min(left, length)));
            out.flush();
            if (answers) {
                answered += length;
            }
            if (length >= left) {
                reset();
            }
        }

        private void startCounting() {
            answered = 0;
        }

        private void reset() {
            connections.remove(this);
            closeHard(client);
            closeHard(server);
        }

        private void close() throws IOException {
            connections.remove(this);
            client.close();
            server.close();
        }

        private static void closeHard(Socket socket) {
            try {
                socket.setSoLinger(true, 0); // the other side sees a reset and not an end
                socket.close();
            } catch (IOException e) {
                // it is closed already
            }
        }
    }
}
