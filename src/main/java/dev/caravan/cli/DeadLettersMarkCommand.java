package dev.caravan.cli;

import dev.caravan.operate.failed.ErrorGroup;
import dev.caravan.operate.failed.GroupMarks;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan dead-letters mark}: stores a note about a group of dead letters. */
@Command(
        name = "mark",
        sortOptions = false,
        description = {
            "Record that the cause of a group of dead letters is known, or a note such as the number of a ticket.",
            "The mark applies to all dead letters of the group, including later ones. It does not affect their delivery."
        })
final class DeadLettersMarkCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
    private String subscription;

    @Parameters(
            index = "1",
            paramLabel = "GROUP",
            converter = ErrorGroupConverter.class,
            description = "The group, as caravan dead-letters groups shows it.")
    private ErrorGroup group;

    @Option(names = "--known", negatable = true, description = "Whether the cause is known (--no-known: it is not).")
    private Boolean known;

    @Option(
            names = "--note",
            paramLabel = "TEXT",
            description = "A text of at most 1,000 characters; an empty one removes it.")
    private String note;

    @Mixin
    private ActorOptions by;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        if (known == null && note == null) {
            throw new ParameterException(
                    spec.commandLine(), "Missing option: --known, --no-known or --note TEXT. Nothing was changed.");
        }
        if (note != null && note.length() > 1_000) {
            throw new ParameterException(
                    spec.commandLine(), "--note must not be longer than 1000 characters. Nothing was changed.");
        }
        GroupMarks marks = new GroupMarks(options.database());
        if (!marks.mark(subscription, group, Optional.ofNullable(known), Optional.ofNullable(note), by.actor())) {
            throw new CommandFailure(
                    "No dead letter of " + subscription + " is in the group " + group + ". Nothing was changed.");
        }
        spec.commandLine().getOut().println("Marked the group " + group + " of " + subscription + ".");
        return 0;
    }
}
