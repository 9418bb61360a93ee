package dev.caravan.cli;

import dev.caravan.adopt.file.YamlFields;
import dev.caravan.adopt.intake.IntakeFile;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.NearestName;
import dev.caravan.database.Database;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.intake.Intakes;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan intake}: outbox tables in other databases, whose rows relays copy into the outbox. */
@Command(
        name = "intake",
        subcommands = {IntakeInitCommand.class, IntakeCheckCommand.class},
        description =
                "Copy the rows of outbox tables in other databases (MariaDB, MySQL, SQL Server, Oracle, H2, Postgres) into the outbox.")
final class IntakeCommand extends CommandGroup {
    IntakeCommand() {
        super("init", "check", "list", "pause", "resume", "remove");
    }

    @Command(
            name = "list",
            description = {
                "List the intakes that a relay works or has worked, with their state.",
                "LAG is the time since the last read that left no pending row: no pending row is older. REJECTED rows cannot become"
                        + " messages: they are dead letters of the subscription intake:NAME. DEAD is how many of them wait for a"
                        + " person, counted up to 10,000 (+ means more)."
            })
    void list(@Mixin OutputOption output, @Mixin SettingsOptions options) throws SQLException {
        List<IntakeStatus> all = new Intakes(options.database()).list();
        output.print(IntakeText.TABLE.text(all) + IntakeText.errors(all, error -> error), all);
    }

    /** The JSON of an intake that was paused or resumed. */
    private record Changed(String intake, String state, boolean changed) {}

    @Command(
            name = "pause",
            sortOptions = false,
            description =
                    "Pause an intake until it is resumed. The pause survives restarts. Its relay stops reading within"
                            + " about a second; rows wait in the source. Safe to repeat.")
    void pause(
            @Parameters(paramLabel = "NAME", description = "Name of the intake.") String name,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        Actor by = actor.actor();
        Intakes intakes = new Intakes(options.database());
        require(name, intakes);
        boolean changed = intakes.pause(name, by);
        output.print(
                changed
                        ? "Paused " + name + ". Its relay stops reading within about a second. Resume with:"
                                + " ./caravan intake resume " + name
                        : name + " is already paused.",
                new Changed(name, "paused", changed));
    }

    @Command(
            name = "resume",
            sortOptions = false,
            description = {
                "Resume an intake that is paused or halted. Its relay continues within about a second. Safe to repeat.",
                "If the reason of a halt is not corrected, the relay halts the intake again."
            })
    void resume(
            @Parameters(paramLabel = "NAME", description = "Name of the intake.") String name,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        Actor by = actor.actor();
        Intakes intakes = new Intakes(options.database());
        require(name, intakes);
        boolean changed = intakes.resume(name, by);
        output.print(
                changed
                        ? "Resumed " + name + ". A relay that works it continues within about a second."
                        : name + " is neither paused nor halted.",
                new Changed(name, "resumed", changed));
    }

    /** The JSON of an intake that was removed. */
    private record Removed(String intake, boolean removed, long retries, long deadLetters, long unmarked) {}

    @Command(
            name = "remove",
            sortOptions = false,
            description = {
                "Forget an intake that no relay works any more: its state, and its rejected rows that wait or are dead letters. Messages"
                        + " that it has copied, and the table in the source, are not changed.",
                "Remove its file first and restart the relays: a relay that starts with the file starts the intake again."
            })
    void remove(
            @Parameters(paramLabel = "NAME", description = "Name of the intake.") String name,
            @Option(
                            names = "--yes",
                            description =
                                    "Do not ask for confirmation when rejected rows, or marks that are not confirmed, are"
                                            + " lost.")
                    boolean yes,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException, IOException {
        Actor by = actor.actor();
        Intakes intakes = new Intakes(Database.forLongCommand(options.settings()));
        require(name, intakes);
        Intakes.Content content = intakes.content(name);
        boolean isEmpty = content.equals(Intakes.Content.NONE);
        if (options.confirmed(yes || isEmpty, "Remove intake " + name + " and lose " + content)) {
            intakes.remove(name, content, by);
            String file = file(name, options)
                    .map(path ->
                            " Its file " + path + " still exists: a relay that starts with it copies the rows that are"
                                    + " pending then. Remove it.")
                    .orElse("");
            output.print(
                    "Removed intake " + name + (isEmpty ? "." : " with " + content + ".") + file,
                    new Removed(name, true, content.retries(), content.deadLetters(), content.unmarked()));
        }
    }

    /** The file of an intake; empty if there is none, or the command uses a context, which has no folder. */
    private static Optional<Path> file(String name, SettingsOptions options) throws IOException {
        return options.usesContext()
                ? Optional.empty()
                : YamlFields.files(IntakeFile.folder(options.settings())).stream()
                        .filter(file -> YamlFields.name(file).equals(name))
                        .findFirst();
    }

    private static void require(String name, Intakes intakes) throws SQLException {
        List<IntakeStatus> known = intakes.list();
        if (known.stream().noneMatch(intake -> intake.name().equals(name))) {
            throw unknown(name, known);
        }
    }

    static CommandFailure unknown(String name, List<IntakeStatus> known) {
        return new CommandFailure("There is no intake " + Formatted.line(name, 100)
                + NearestName.suggestion(
                        name, known.stream().map(IntakeStatus::name).toList(), " that a relay has worked.")
                + " Nothing was changed. See: ./caravan intake list");
    }
}
