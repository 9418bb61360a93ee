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

/** A question on the terminal; anything but yes means no. */
final class Confirmation {
    private final boolean onTerminal;
    private final BufferedReader in;
    private final CommandLine command;

    Confirmation(boolean onTerminal, Reader in, CommandLine command) {
        this.onTerminal = onTerminal;
        this.in = new BufferedReader(in);
        this.command = command;
    }

    /** Asks where the command was typed. */
    static Confirmation onConsole(CommandLine command) {
        return new Confirmation(
                System.console() != null, new InputStreamReader(System.in, Charset.defaultCharset()), command);
    }

    /** @throws ParameterException when there is no terminal to ask on */
    boolean agreed(String what) {
        if (!onTerminal) {
            throw new ParameterException(command, what + "? Nothing was changed; to do it, repeat with --yes.");
        }
        command.getErr().print(what + "? [y/N] ");
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
