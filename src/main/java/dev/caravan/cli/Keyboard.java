package dev.caravan.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Until the key q is hit, or the process is asked to end. A terminal hands over lines, so it is told to hand over each key, and
 * put right again at the end. Input that comes from elsewhere is left alone.
 */
final class Keyboard implements Watch.Rhythm {
    private static final long LOOK_MILLIS = 50;

    private String before = "";

    @Override
    public void begin() {
        before = stty("-g").strip();
        Watch.endWith0(() -> {
            if (isUsed()) {
                stty(before);
            }
        });
        if (isUsed()) {
            stty("-icanon", "-echo");
        }
    }

    /** Whether keys are looked at. */
    private boolean isUsed() {
        return !before.isEmpty();
    }

    @Override
    public boolean goesOnAfter(Duration pause) throws InterruptedException {
        long end = System.nanoTime() + pause.toNanos();
        while (System.nanoTime() - end < 0) {
            if (isUsed() && quits()) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return true;
    }

    private static boolean quits() {
        try {
            while (System.in.available() > 0) {
                if (Character.toString(System.in.read())
                        .toLowerCase(Locale.ROOT)
                        .equals("q")) {
                    return true;
                }
            }
        } catch (IOException e) {
            // the terminal is gone: so will the process be
        }
        return false;
    }

    /** What it answers; nothing when the input is no terminal. */
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
