package dev.caravan.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups subcommands. Without a subcommand it ends with a usage error. */
abstract class CommandGroup implements Runnable {
    private final List<String> names;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    /** @param names the subcommands, in the order of the help and of the error when none is given */
    CommandGroup(String... names) {
        this.names = List.of(names);
    }

    /** The command line of a command. That of a group shows subcommands that are methods in its own order, not in that of the alphabet. */
    static CommandLine line(Class<?> command) {
        CommandLine line = new CommandLine(command);
        if (CommandGroup.class.isAssignableFrom(command)) {
            CommandSpec spec = line.getCommandSpec();
            for (String name : line.<CommandGroup>getCommand().names) {
                spec.addSubcommand(name, spec.removeSubcommand(name));
            }
        }
        return line;
    }

    @Override
    public final void run() {
        String last = names.size() == 1 ? "" : " or " + names.get(names.size() - 1);
        String others = String.join(", ", names.subList(0, Math.max(1, names.size() - 1)));
        throw new ParameterException(spec.commandLine(), "Missing subcommand: " + others + last + ".");
    }
}
