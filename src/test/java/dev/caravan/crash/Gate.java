package dev.caravan.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.apache.camel.Exchange;

/** A step of a route in the relay process: asks the {@link GateKeeper} of the test for permission, and waits for it. */
public final class Gate {
    public void pass(Exchange exchange) throws IOException {
        int port = Integer.parseInt(exchange.getContext().resolvePropertyPlaceholders("{{crash.gate}}"));
        String question = exchange.getMessage().getHeader("id", String.class) + "\n";
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port);
                var answer =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            socket.getOutputStream().write(question.getBytes(StandardCharsets.US_ASCII));
            if (answer.readLine() == null) {
                throw new IOException("The gate keeper is gone");
            }
        }
    }
}
