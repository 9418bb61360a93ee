package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.HiddenCharacters;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options or arguments that several commands have. Also writes to the output of the command, and asks for confirmation. */
@Command
class CommandOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Prints a result. */
    final void print(String text) {
        out().println(HiddenCharacters.shown(text));
        out().flush();
    }

    /** Prints a text for people that is not the result. */
    final void report(String text) {
        err().println(HiddenCharacters.shown(text));
        err().flush();
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** The error of wrong use, which the command throws. */
    final ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    /**
     * @param after a sentence that follows the error, with a leading space
     * @throws ParameterException if the value is not between 1 and the maximum
     */
    final void requireUpTo(int max, String name, int value, String after) {
        if (value < 1 || value > max) {
            throw wrong(name + " must be between 1 and " + max + ", got " + value + "." + after);
        }
    }

    /**
     * Asks for confirmation, and reports that nothing was changed without it.
     *
     * @param yes whether the person has confirmed already, with an option
     * @param action for example {@code Retry 12 dead letters}
     * @throws ParameterException when there is no terminal
     */
    final boolean confirmed(boolean yes, String action) {
        boolean confirmed = yes || Prompt.onConsole(spec.commandLine()).confirmed(action);
        if (!confirmed) {
            report("Nothing was changed.");
        }
        return confirmed;
    }

    /**
     * Opens a file that a person has named; {@code -} is standard input.
     *
     * @param after a sentence that follows the error, with a leading space
     * @throws ParameterException if it cannot be read
     */
    final InputStream open(Path file, String after) throws IOException {
        if (file.toString().equals("-")) {
            return System.in;
        }
        if (!Files.exists(file)) {
            throw wrong("Could not find the file " + file + "." + after);
        }
        if (Files.isDirectory(file)) {
            throw wrong(file + " is a folder, but must be a file." + after);
        }
        if (!Files.isReadable(file)) {
            throw wrong("Could not read the file " + file + "." + after);
        }
        return Files.newInputStream(file);
    }

    final ProgressLine progress() {
        return new ProgressLine(err(), Boolean.getBoolean("caravan.terminal"), Clock.SYSTEM);
    }

    final Caravan caravan() {
        return (Caravan) spec.root().userObject();
    }
}
