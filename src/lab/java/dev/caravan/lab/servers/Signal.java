package dev.caravan.lab.servers;

import java.io.IOException;

/** Signals to processes of this machine. */
final class Signal {
    private Signal() {}

    /** @param signal as {@code kill} takes it, for example {@code -STOP} */
    static void send(String signal, long pid) throws IOException, InterruptedException {
        int status =
                new ProcessBuilder("kill", signal, Long.toString(pid)).start().waitFor();
        if (status != 0) {
            throw new IllegalStateException(
                    "Could not send " + signal + " to process " + pid + ": kill ended with " + status);
        }
    }
}
