package dev.caravan.lab.servers.mail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;

/** A mail server that accepts every mail, unless its script defines another answer. */
public final class ScriptedSmtp implements AutoCloseable {
    /** Instead of an answer: closes the connection. */
    public static final String CUT = "cut";
    /** Instead of an answer: sends nothing. */
    public static final String SILENCE = "silence";

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, String> script = new ConcurrentHashMap<>();
    private final List<String> commands = new CopyOnWriteArrayList<>();
    private final UnaryOperator<String> handler;

    /** Accepts every mail. */
    public ScriptedSmtp() throws IOException {
        this(mail -> "250 taken");
    }

    /** @param handler returns the answer to a complete mail; the script may replace the answer */
    public ScriptedSmtp(UnaryOperator<String> handler) throws IOException {
        this.handler = handler;
        threads.execute(this::accept);
    }

    /**
     * @param command {@code connect}, a verb such as {@code rcpt}, {@code middle} for the middle of the data (which can only
     *     be cut), or {@code end} for its end
     */
    public void answers(String command, String answer) {
        script.put(command, answer);
    }

    /** Clears the script. */
    public void clearScript() {
        script.clear();
    }

    /** The commands that clients have sent, in order. */
    public List<String> commands() {
        return List.copyOf(commands);
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                threads.execute(() -> serve(client));
            } catch (IOException | RejectedExecutionException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            var in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
            String usual = "220 ready";
            String command = "connect";
            while (answer(client.getOutputStream(), command, usual)) {
                if (command.equals("data") && !script.containsKey("data")) {
                    String mail = data(in);
                    if (mail == null) {
                        return;
                    }
                    command = "end";
                    usual = handler.apply(mail);
                } else {
                    String line = in.readLine();
                    if (line == null) {
                        return;
                    }
                    commands.add(line);
                    command = line.split(" ")[0].toLowerCase(Locale.ROOT);
                    usual = command.equals("data") ? "354 go on" : command.equals("quit") ? "221 bye" : "250 ok";
                }
            }
        } catch (IOException e) {
            // the client has disconnected
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // this server is closed
        }
    }

    /** The mail; null when the connection ends in the middle of it, by the sender or by the script. */
    private String data(BufferedReader in) throws IOException {
        StringBuilder mail = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals(".")) {
                return mail.toString();
            }
            if (script.containsKey("middle")) {
                return null;
            }
            mail.append(line.startsWith(".") ? line.substring(1) : line).append("\r\n");
        }
        return null;
    }

    private boolean answer(OutputStream out, String command, String usual) throws IOException, InterruptedException {
        String answer = script.getOrDefault(command, usual);
        if (answer.equals(CUT)) {
            return false;
        }
        if (answer.equals(SILENCE)) {
            Thread.sleep(60_000);
        }
        out.write((answer + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return true;
    }

    @Override
    public void close() throws IOException {
        listening.close();
        threads.shutdownNow();
    }
}
