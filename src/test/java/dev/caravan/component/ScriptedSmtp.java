package dev.caravan.component;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/** A mail server that takes every mail, except where its script says something else. */
final class ScriptedSmtp implements AutoCloseable {
    /** Instead of an answer: closes the connection. */
    static final String CUT = "cut";
    /** Instead of an answer: says nothing. */
    static final String SILENCE = "silence";

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, String> script = new ConcurrentHashMap<>();

    ScriptedSmtp() throws IOException {
        threads.execute(this::accept);
    }

    /** @param command {@code connect}, a verb such as {@code rcpt}, or {@code end} for the end of the data */
    void answers(String command, String answer) {
        script.put(command, answer);
    }

    int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                threads.execute(() -> talk(client));
            } catch (IOException | RejectedExecutionException e) {
                return; // closed
            }
        }
    }

    private void talk(Socket client) {
        try (client) {
            var in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            String usual = "220 ready";
            String command = "connect";
            while (answer(client.getOutputStream(), command, usual)) {
                if (command.equals("data") && !script.containsKey("data")) {
                    command = data(in);
                    usual = "250 taken";
                } else {
                    String line = in.readLine();
                    if (line == null) {
                        return;
                    }
                    command = line.split(" ")[0].toLowerCase(Locale.ROOT);
                    usual = command.equals("data") ? "354 go on" : command.equals("quit") ? "221 bye" : "250 ok";
                }
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt(); // the other side is gone, or this server is closed
        }
    }

    /** Reads the mail; in the middle of it when the script cuts there. */
    private String data(BufferedReader in) throws IOException {
        for (String line = in.readLine(); line != null && !line.equals("."); line = in.readLine()) {
            if (script.containsKey("middle")) {
                return "middle";
            }
        }
        return "end";
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
