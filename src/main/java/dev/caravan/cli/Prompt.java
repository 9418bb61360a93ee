package dev.caravan.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Optional;
import picocli.CommandLine;

/** Asks for a value on the terminal. */
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
        String answer = onTerminal ? asked(question, suggestion) : "";
        String used = answer.isEmpty() ? suggestion : answer;
        return used.isEmpty() ? Optional.empty() : Optional.of(used);
    }

    private String asked(String question, String suggestion) {
        command.getErr().print(question + (suggestion.isEmpty() ? "" : " [" + suggestion + "]") + ": ");
        command.getErr().flush();
        try {
            String line = in.readLine();
            return line == null ? "" : line.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
