package dev.caravan.cli;

import dev.caravan.operate.failed.MessageFilter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The filter options of commands on discarded dead letters. */
final class DiscardedFilterOptions {
    @Mixin
    private MessageFilterOptions message;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Only those that were discarded at or after this time: " + TimeConverter.FORMS)
    private Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Only those that were discarded before this time.")
    private Instant until;

    @Option(
            names = "--discard",
            paramLabel = "ID",
            description = "Only those of this change, as caravan dead-letters discard prints it.")
    private UUID discard;

    MessageFilter filter() {
        return MessageFilter.of(message.subscription(), message.types(), message.key(), message.error())
                .between(Optional.ofNullable(since), Optional.ofNullable(until))
                .discardedBy(Optional.ofNullable(discard));
    }

    Optional<String> subscription() {
        return message.subscription();
    }

    /** True when any filter except the subscription is given. */
    boolean restricts() {
        return message.restricts() || since != null || until != null || discard != null;
    }

    /** A sentence that says that nothing was found, and names an unknown subscription. */
    String nothingFound(DataSource database) throws SQLException {
        return (restricts() || subscription().isPresent()
                        ? "No discarded dead letter matches."
                        : "No discarded dead letters are kept.")
                + message.unknownSubscription(database);
    }
}
