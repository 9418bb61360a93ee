package dev.caravan.cli;

import dev.caravan.base.text.HiddenCharacters;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Asks for a value or for confirmation on the terminal. */
final class Prompt {
    private final boolean onTerminal;
    private final BufferedReader in;
    private final CommandLine command;

    Prompt(boolean onTerminal, Reader in, CommandLine command) {
        this.onTerminal = onTerminal;
        this.in = new BufferedReader(in);
        this.command = command;
    }

    /** Uses standard input and the error stream of the command. */
    static Prompt onConsole(CommandLine command) {
        return new Prompt(
                System.console() != null, new InputStreamReader(System.in, Charset.defaultCharset()), command);
    }

    /**
     * The answer, or the suggestion if the answer is empty or there is no terminal; empty if there is neither.
     *
     * @param suggestion empty for none
     */
    Optional<String> answer(String question, String suggestion) {
        String answer =
                onTerminal ? asked(question + (suggestion.isEmpty() ? "" : " [" + suggestion + "]") + ": ") : "";
        return Optional.of(answer.isEmpty() ? suggestion : answer).filter(used -> !used.isEmpty());
    }

    /**
     * Whether the person confirms. Any answer except y or yes means no.
     *
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
        return Set.of("y", "yes").contains(asked(action + "? [y/N] ").toLowerCase(Locale.ROOT));
    }

    /** The stripped answer; empty at the end of the input. */
    private String asked(String question) {
        command.getErr().print(HiddenCharacters.shown(question));
        command.getErr().flush();
        try {
            String line = in.readLine();
            return line == null ? "" : line.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
