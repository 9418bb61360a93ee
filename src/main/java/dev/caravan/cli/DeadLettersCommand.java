package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.cli.ShowOptions.Shown;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.DeadLetterGroups;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.Discarded;
import dev.caravan.operate.failed.DiscardedSearch;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.ErrorGroup;
import dev.caravan.operate.failed.GroupMarks;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan dead-letters}: commands on dead letters. */
@Command(
        name = "dead-letters",
        description = "List, group, show, retry, discard, mark or export dead letters (messages that could not be"
                + " delivered), and undo a discard.",
        subcommands = {
            DeadLettersRetryCommand.class,
            DeadLettersCommand.Discard.class,
            DeadLettersCommand.UndoDiscard.class,
            DeadLettersExportCommand.class
        })
final class DeadLettersCommand extends CommandGroup {
    private static final Table<DeadLetterSummary> LETTERS = new Table<DeadLetterSummary>()
            .column("SUBSCRIPTION", DeadLetterSummary::subscription)
            .column("ID>", DeadLetterSummary::id)
            .column("KEY", 40, DeadLetterSummary::key)
            .column("TYPE", 40, DeadLetterSummary::type)
            .column("ATTEMPTS>", DeadLetterSummary::attempts)
            .column("FAILED", letter -> Formatted.ago(letter.lastFailedAt()))
            .column("ERROR", letter -> MessageText.error(letter.errorClass(), letter.errorText()));

    private static final Table<Discarded> DISCARDED = new Table<Discarded>()
            .column("SUBSCRIPTION", Discarded::subscription)
            .column("ID>", Discarded::id)
            .column("KEY", 40, message -> message.letter().key())
            .column("TYPE", 40, message -> message.letter().type())
            .column("DISCARDED", message -> Formatted.ago(message.at()))
            .column("BY", 30, Discarded::who)
            .column("REASON", 40, Discarded::reason)
            .column("DISCARD", Discarded::discard);

    private static final Table<DeadLetterGroups.Group> GROUPS = new Table<DeadLetterGroups.Group>()
            .column("GROUP", DeadLetterGroups.Group::group)
            .column("SUBSCRIPTION", DeadLetterGroups.Group::subscription)
            .column("MESSAGES>", DeadLetterGroups.Group::count)
            .column("LAST", group -> Formatted.ago(group.lastSeen()))
            .column("KNOWN", group -> Optional.of("known")
                    .filter(any -> group.mark().known()))
            .column("ERROR", group -> MessageText.error(group.errorClass(), group.pattern()))
            .column("NOTE", 60, group -> group.mark().note());

    DeadLettersCommand() {
        super("list", "groups", "show", "retry", "discard", "undo-discard", "discarded", "mark", "export");
    }

    @Command(name = "list", sortOptions = false, description = "List dead letters, latest failure first.")
    int list(@Mixin MessageFilterOptions.OfDeadLetters filter, @Mixin ListOptions list, @Mixin SettingsOptions options)
            throws SQLException {
        MessageFilter selected = filter.filter();
        filter.check(options.database(), "");
        DeadLetterSearch search = new DeadLetterSearch(options.database());
        return list.print(
                rows -> search.first(selected, rows),
                search.parts(selected),
                DeadLetterSummary.COLUMNS,
                filter.nothingFound(),
                LETTERS,
                "dead letters");
    }

    @Command(
            name = "discarded",
            sortOptions = false,
            description = "List discarded dead letters that are still kept, latest discard first.")
    int discarded(
            @Mixin MessageFilterOptions.OfDiscarded filter, @Mixin ListOptions list, @Mixin SettingsOptions options)
            throws SQLException {
        MessageFilter selected = filter.filter();
        filter.check(options.database(), "");
        DiscardedSearch search = new DiscardedSearch(options.database());
        return list.print(
                rows -> search.first(selected, rows),
                search.parts(selected),
                Discarded.COLUMNS,
                filter.nothingFound(),
                DISCARDED,
                "discarded dead letters");
    }

    @Command(
            name = "groups",
            sortOptions = false,
            description = {
                "Count dead letters by subscription and error, the largest group first.",
                "Errors are one group if they differ only in numbers, ids, quoted values and addresses, shown as #."
            })
    void groups(
            @Mixin MessageFilterOptions.OfDeadLetters filter,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        MessageFilter selected = filter.filter();
        filter.check(options.database(), "");
        DeadLetterGroups groups = DeadLetterGroups.of(options.database(), selected);
        String nothing = groups.largest().isEmpty() ? filter.nothingFound() : "";
        String note = groups.complete() ? "" : "\nNot all dead letters were counted: use filters to see the others.";
        output.print(nothing.isEmpty() ? GROUPS.text(groups.largest()) + note : nothing, groups.largest());
    }

    @Command(
            name = "show",
            sortOptions = false,
            description = {
                "Show a dead letter with its error and its changes by people: SUBSCRIPTION ID, or a message id (a"
                        + " UUID).",
                "Payload and header values may contain personal data and are shown only with --payload."
            })
    int show(@Mixin ShowOptions show, @Mixin OutputOption output, @Mixin SettingsOptions options) throws SQLException {
        Audit audit = new Audit(options.database());
        return show.show(
                NamedMessages.dead(options.database()),
                (letter, payload) -> {
                    var history = audit.ofMessage(
                            letter.summary().subscription(), letter.summary().id());
                    return new Shown(
                            MessageText.text(letter, history, payload), letter.view(history, AuditText.shown(payload)));
                },
                output);
    }

    @Command(
            name = "mark",
            sortOptions = false,
            description = {
                "Record that the cause of a group of dead letters is known, or a note such as the number of a ticket.",
                "The mark applies to all dead letters of the group, including later ones. It does not affect their"
                        + " delivery."
            })
    void mark(
            @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
                    String subscription,
            @Parameters(
                            index = "1",
                            paramLabel = "GROUP",
                            description = "The group, as caravan dead-letters groups shows it.")
                    ErrorGroup group,
            @Option(
                            names = "--known",
                            negatable = true,
                            description = "Whether the cause is known (--no-known: it is not).")
                    Boolean known,
            @Option(
                            names = "--note",
                            paramLabel = "TEXT",
                            description = "A text of at most 1,000 characters; an empty one removes it.")
                    String note,
            @Mixin ActorOptions by,
            @Mixin SettingsOptions options)
            throws SQLException {
        if (known == null && note == null) {
            throw options.wrong("Missing option: --known, --no-known or --note TEXT. Nothing was changed.");
        }
        if (note != null && note.length() > 1_000) {
            throw options.wrong("--note must not be longer than 1000 characters. Nothing was changed.");
        }
        GroupMarks marks = new GroupMarks(options.database());
        if (!marks.mark(subscription, group, Optional.ofNullable(known), Optional.ofNullable(note), by.actor())) {
            throw new CommandFailure(
                    "No dead letter of " + subscription + " is in the group " + group + ". Nothing was changed.");
        }
        options.print("Marked the group " + group + " of " + subscription + ".");
    }

    /** Discards dead letters. They are kept for some days. */
    @Command(
            name = "discard",
            sortOptions = false,
            description = {
                "Discard dead letters. --reason is required. They are kept for caravan.discarded.retention (7d), then"
                        + " deleted. Until then undo-discard restores them.",
                "With caravan.discarded.retention=0s they are deleted at once. The audit stores message id, key, type"
                        + " and error of one, and of many their ids in the outbox, types and errors, but not the payload:"
                        + " export the dead letters first if in doubt."
            })
    static final class Discard extends ChangeCommand {
        private final UUID discard = UUID.randomUUID();

        Discard() {
            super(
                    "discard",
                    "discard",
                    "discarded",
                    "discarded",
                    "Discarding",
                    new MessageFilterOptions.OfDeadLetters());
        }

        private Discards discards(DataSource database) {
            return Discards.from(options.settings(), database);
        }

        @Override
        Optional<UUID> discard() {
            return Optional.of(discard)
                    .filter(id -> discards(options.database()).canBeUndone());
        }

        @Override
        int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
            return discards(database).discard(chunk, discard, by);
        }

        @Override
        String next(Selection set) {
            Discards discards = discards(options.database());
            return discards.canBeUndone()
                    ? "\nKept for " + Span.text(discards.retention())
                            + ". To undo: ./caravan dead-letters undo-discard --all --discard " + discard
                    : "";
        }

        @Override
        Map<String, Object> moreFields() {
            return Map.of("discard", discard.toString());
        }
    }

    /** Turns discarded messages back into dead letters. */
    @Command(
            name = "undo-discard",
            sortOptions = false,
            description = {
                "Undo a discard: the messages are dead letters again, with their attempts and errors. Name them by"
                        + " SUBSCRIPTION ID, or use --all --discard ID for all that were discarded together.",
                "Where a dead letter blocks its key (onDead=block, order=strict), later messages of the key wait"
                        + " again. Those that a relay has read are delivered."
            })
    static final class UndoDiscard extends ChangeCommand {
        UndoDiscard() {
            super("undo-discard", "restore", "restored", "restored", "", new MessageFilterOptions.OfDiscarded());
        }

        @Override
        int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
            return Discards.from(options.settings(), database).undo(chunk, by);
        }
    }
}
