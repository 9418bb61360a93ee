package dev.caravan.cli;

import dev.caravan.operate.failed.ErrorGroup;
import dev.caravan.operate.failed.MessageFilter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The filter options of commands on dead letters. */
final class DeadLetterFilterOptions {
    @Mixin
    private MessageFilterOptions message;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Only those whose last failure is at or after this time: " + TimeConverter.FORMS)
    private Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Only those whose last failure is before this time.")
    private Instant until;

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            converter = ErrorGroupConverter.class,
            description = "Only those of this group of errors, as caravan dead-letters groups shows it.")
    private ErrorGroup group;

    MessageFilter filter() {
        return MessageFilter.of(message.subscription(), message.types(), message.key(), message.error())
                .between(Optional.ofNullable(since), Optional.ofNullable(until))
                .inGroup(Optional.ofNullable(group));
    }

    Optional<String> subscription() {
        return message.subscription();
    }

    /** True when any filter except the subscription is given. */
    boolean restricts() {
        return message.restricts() || since != null || until != null || group != null;
    }

    /** A sentence that says that nothing was found, and names an unknown subscription. */
    String nothingFound(DataSource database) throws SQLException {
        return (restricts() || subscription().isPresent() ? "No dead letter matches." : "No dead letters.")
                + message.unknownSubscription(database);
    }
}
