package dev.caravan.cli;

import dev.caravan.retry.WaitingFilter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which messages that wait. */
final class WaitingFilterOptions {
    @Mixin
    private MessageFilterOptions message;

    @Option(
            names = "--failing-since",
            paramLabel = "TIME",
            converter = MomentConverter.class,
            description = "That failed first at or before this: " + MomentConverter.FORMS)
    private Instant failingSince;

    WaitingFilter filter(boolean blocked) {
        return new WaitingFilter(
                message.subscription(),
                message.types(),
                message.key(),
                message.error(),
                Optional.ofNullable(failingSince),
                blocked);
    }

    Optional<String> subscription() {
        return message.subscription();
    }

    /** True when anything but the subscription is given. */
    boolean restricts() {
        return message.restricts() || failingSince != null;
    }

    /** Why nothing was found, as far as it can be told. */
    String nothingFound(DataSource database, boolean blocked) throws SQLException {
        String waits = blocked ? "waits behind another one" : "waits for another attempt";
        return (restricts() || subscription().isPresent() ? "No message that matches " : "No message ") + waits + "."
                + message.unknownSubscription(database);
    }
}
