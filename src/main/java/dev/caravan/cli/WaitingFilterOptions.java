package dev.caravan.cli;

import dev.caravan.operate.failed.MessageFilter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The filter options of commands on waiting messages. */
final class WaitingFilterOptions {
    @Mixin
    private MessageFilterOptions message;

    @Option(
            names = "--failing-since",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Only those whose first failure is at or before this time: " + TimeConverter.FORMS)
    private Instant failingSince;

    MessageFilter filter(boolean blocked) {
        return MessageFilter.of(message.subscription(), message.types(), message.key(), message.error())
                .waiting(Optional.ofNullable(failingSince), blocked);
    }

    Optional<String> subscription() {
        return message.subscription();
    }

    /** True when any filter except the subscription is given. */
    boolean restricts() {
        return message.restricts() || failingSince != null;
    }

    /** A sentence that says that nothing was found, and names an unknown subscription. */
    String nothingFound(DataSource database, boolean blocked) throws SQLException {
        String waits = blocked ? "is blocked" : "waits for another attempt";
        return (restricts() || subscription().isPresent() ? "No message that matches " : "No message ") + waits + "."
                + message.unknownSubscription(database);
    }
}
