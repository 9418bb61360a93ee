package dev.caravan.cli;

import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Asks before a command changes something in a context that is marked with {@code confirm}. */
final class ProtectedContext {
    /** Commands that change the database without the option {@code --who}. All others that change it have this option. */
    private static final Set<String> CHANGING = Set.of(
            "caravan schema apply",
            "caravan capture apply",
            "caravan capture remove",
            "caravan capture backfill",
            "caravan publish");

    private ProtectedContext() {}

    /** Whether the command, with these options, changes the database. */
    static boolean changes(ParseResult command) {
        return changes(command.commandSpec())
                && !command.hasMatchedOption("--dry-run")
                && !command.hasMatchedOption("--status")
                && !command.isUsageHelpRequested();
    }

    static boolean changes(CommandSpec command) {
        return command.findOption("--who") != null || CHANGING.contains(command.qualifiedName());
    }

    /** @return false if the person does not confirm */
    static boolean mayRun(ParseResult command, OutboxContext context, Prompt prompt) {
        if (!context.confirm() || !changes(command)) {
            return true;
        }
        String name = command.commandSpec().qualifiedName().replaceFirst("^caravan ", "");
        return prompt.confirmed(
                "Run " + name + " in the context " + context,
                "This context requires confirmation of each change. In a script, set CARAVAN_DB_URL instead of a context.");
    }
}
