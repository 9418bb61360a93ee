package dev.caravan.cli;

import dev.caravan.base.text.Span;
import dev.caravan.operate.watch.OutboxStatus;
import dev.caravan.operate.watch.OutboxSurvey;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan outboxes}: commands on the outboxes of the database. */
@Command(name = "outboxes", description = "List the outboxes of the database.")
final class OutboxesCommand extends CommandGroup {
    private static final Table<OutboxStatus> TABLE = new Table<OutboxStatus>(
                    "No outbox. Create one with: ./caravan schema apply")
            .column("", status -> status.outbox().own() ? "*" : "")
            .column("OUTBOX", status -> status.outbox().schema())
            .column("STATE", OutboxStatus::state)
            .column("SUBSCRIPTIONS>", status -> status.seen()
                    .map(seen -> seen.sample().subscriptions().size()))
            .column("BACKLOG>", status -> status.backlog().map(backlog -> (backlog == 0 ? "" : "<= ") + backlog))
            .column("LAG>", status -> status.lag().map(Span::text))
            .column("DEAD>", OutboxStatus::deadLetters)
            .column("RELAYS", status -> status.seen()
                    .map(seen -> String.join(", ", seen.relays()))
                    .filter(relays -> !relays.isEmpty()))
            .column(
                    "VERSION>",
                    status -> status.version().isPresent() ? status.version().getAsInt() : "-");

    OutboxesCommand() {
        super("list");
    }

    @Command(
            name = "list",
            description = {
                "List the outboxes of the database: the schemas with Caravan's tables, with the overall state of each.",
                "A * marks the outbox that commands use. CARAVAN_SCHEMA, or a context, chooses another one.",
                "BACKLOG is an upper bound over all subscriptions. LAG is the age of the oldest undelivered message."
            })
    void list(@Mixin OutputOption output, @Mixin SettingsOptions options) throws SQLException {
        List<OutboxStatus> all = OutboxSurvey.once(options.database());
        output.print(TABLE.text(all) + reasons(all), all);
    }

    /** Why an outbox is not healthy, or could not be read. */
    private static String reasons(List<OutboxStatus> all) {
        return all.stream()
                .filter(status -> !status.text().equals(status.state()))
                .map(status -> "\n" + status.outbox().schema() + " is " + status.text())
                .collect(Collectors.joining());
    }
}
