package dev.caravan.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Refreshes until the person presses q or the process is stopped. Sets the terminal to deliver each key at once instead of whole
 * lines, and restores it at the end. If standard input is not a terminal, only a stop of the process ends it.
 */
final class QuitKey implements Watch.Timer {
    private static final long POLL_MILLIS = 50;
    private String savedMode = "";

    @Override
    public void begin() {
        savedMode = stty("-g").strip();
        Watch.exitWith0(() -> {
            if (isTerminal()) {
                stty(savedMode);
            }
        });
        if (isTerminal()) {
            stty("-icanon", "-echo");
        }
    }

    /** Whether standard input is a terminal. */
    private boolean isTerminal() {
        return !savedMode.isEmpty();
    }

    @Override
    public boolean await(Duration pause) throws InterruptedException {
        long end = System.nanoTime() + pause.toNanos();
        while (System.nanoTime() - end < 0) {
            if (isTerminal() && isPressed()) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return true;
    }

    private static boolean isPressed() {
        try {
            while (System.in.available() > 0) {
                if (Character.toString(System.in.read())
                        .toLowerCase(Locale.ROOT)
                        .equals("q")) {
                    return true;
                }
            }
        } catch (IOException e) {
            // the terminal was closed, which also ends the process
        }
        return false;
    }

    /** Runs stty and returns its output; empty when standard input is not a terminal. */
    private static String stty(String... arguments) {
        try {
            String[] command = new String[arguments.length + 1];
            command[0] = "stty";
            System.arraycopy(arguments, 0, command, 1, arguments.length);
            Process stty = new ProcessBuilder(command)
                    .redirectInput(Redirect.INHERIT)
                    .redirectError(Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes());
            return stty.waitFor() == 0 ? answer : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
