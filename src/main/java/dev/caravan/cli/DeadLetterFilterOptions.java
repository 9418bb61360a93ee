package dev.caravan.cli;

import dev.caravan.deadletter.DeadLetterFilter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which dead letters. */
final class DeadLetterFilterOptions {
    @Mixin
    private MessageFilterOptions message;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = MomentConverter.class,
            description = "That failed last at or after this: " + MomentConverter.FORMS)
    private Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = MomentConverter.class,
            description = "That failed last before this.")
    private Instant until;

    DeadLetterFilter filter() {
        return new DeadLetterFilter(
                message.subscription(),
                message.types(),
                message.key(),
                message.error(),
                Optional.ofNullable(since),
                Optional.ofNullable(until));
    }

    Optional<String> subscription() {
        return message.subscription();
    }

    /** True when anything but the subscription is given. */
    boolean restricts() {
        return message.restricts() || since != null || until != null;
    }

    /** Why nothing was found, as far as it can be told. */
    String nothingFound(DataSource database) throws SQLException {
        return (restricts() || subscription().isPresent() ? "No dead letter matches." : "No dead letters.")
                + message.unknownSubscription(database);
    }
}
