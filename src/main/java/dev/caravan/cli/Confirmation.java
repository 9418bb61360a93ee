package dev.caravan.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Asks for confirmation on the terminal. Any answer except y or yes means no. */
final class Confirmation {
    private final boolean onTerminal;
    private final BufferedReader in;
    private final CommandLine command;

    Confirmation(boolean onTerminal, Reader in, CommandLine command) {
        this.onTerminal = onTerminal;
        this.in = new BufferedReader(in);
        this.command = command;
    }

    /** Uses standard input and the error stream of the command. */
    static Confirmation onConsole(CommandLine command) {
        return new Confirmation(
                System.console() != null, new InputStreamReader(System.in, Charset.defaultCharset()), command);
    }

    /**
     * @param action for example {@code Retry 12 dead letters}
     * @throws ParameterException when there is no terminal
     */
    boolean confirmed(String action) {
        return confirmed(action, "To confirm, add --yes.");
    }

    /**
     * @param withoutTerminal what to do without a terminal
     * @throws ParameterException when there is no terminal
     */
    boolean confirmed(String action, String withoutTerminal) {
        if (!onTerminal) {
            throw new ParameterException(
                    command, action + "? Cannot ask without a terminal. Nothing was changed. " + withoutTerminal);
        }
        command.getErr().print(action + "? [y/N] ");
        command.getErr().flush();
        try {
            String answer = in.readLine();
            return answer != null
                    && (answer.strip().toLowerCase(Locale.ROOT).equals("y")
                            || answer.strip().toLowerCase(Locale.ROOT).equals("yes"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
