package dev.caravan.cli;

import dev.caravan.base.text.Span;
import dev.caravan.operate.watch.OutboxStatus;
import dev.caravan.operate.watch.OutboxSurvey;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan outboxes list}: the outboxes of the database, and the state of each. */
@Command(
        name = "list",
        description = {
            "List the outboxes of the database: the schemas with Caravan's tables, with the overall state of each.",
            "A * marks the outbox that commands use. DB_SCHEMA, or a context, chooses another one.",
            "BACKLOG is an upper bound over all subscriptions. LAG is the age of the oldest undelivered message."
        })
final class OutboxesListCommand implements Callable<Integer> {
    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        List<OutboxStatus> all = OutboxSurvey.once(options.database());
        output.print(() -> text(all), () -> all);
        return 0;
    }

    private static String text(List<OutboxStatus> all) {
        if (all.isEmpty()) {
            return "No outbox. Create one with: ./caravan schema apply";
        }
        Table table =
                new Table("", "OUTBOX", "STATE", "SUBSCRIPTIONS>", "BACKLOG>", "LAG>", "DEAD>", "RELAYS", "VERSION>");
        for (OutboxStatus status : all) {
            table.row(
                    status.outbox().own() ? "*" : "",
                    status.outbox().schema(),
                    status.state(),
                    status.seen()
                            .map(seen -> "" + seen.sample().subscriptions().size())
                            .orElse("-"),
                    status.backlog()
                            .map(backlog -> (backlog == 0 ? "" : "<= ") + backlog)
                            .orElse("-"),
                    status.lag().map(Span::text).orElse("-"),
                    status.deadLetters().map(Object::toString).orElse("-"),
                    status.seen()
                            .map(seen -> String.join(", ", seen.relays()))
                            .filter(relays -> !relays.isEmpty())
                            .orElse("-"),
                    status.version().isPresent() ? status.version().getAsInt() : "-");
        }
        return table + reasons(all);
    }

    /** Why an outbox is not healthy, or could not be read. */
    private static String reasons(List<OutboxStatus> all) {
        return all.stream()
                .filter(status -> !status.text().equals(status.state()))
                .map(status -> "\n" + status.outbox().schema() + " is " + status.text())
                .collect(Collectors.joining());
    }
}
