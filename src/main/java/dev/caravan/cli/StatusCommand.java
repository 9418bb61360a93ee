package dev.caravan.cli;

import dev.caravan.base.text.Span;
import dev.caravan.database.Database;
import dev.caravan.database.OldestTransaction;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.subscription.DestinationStatus;
import dev.caravan.operate.subscription.RateStatus;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.routes.context.BuiltInRoutes;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan status}: the progress and state of each subscription and intake. */
@Command(
        name = "status",
        description = {
            "Show the progress and state of each subscription, and of each intake.",
            "BACKLOG is an upper bound: it includes rolled-back ids and messages of types that the subscription does not read."
                    + " LAG is the age of the oldest undelivered message. Neither includes waiting messages and dead letters, which"
                    + " have their own columns, counted up to 10,000 (+ means more).",
            "LEASE is the time until another relay may take over if the owner no longer answers. A killed owner is replaced within"
                    + " about a second, unless it works without presence: then it is replaced when its lease ends.",
            "The LAG of an intake is the time since a read left no pending row: each pending row was committed later."
        })
class StatusCommand implements Callable<Integer> {
    static final String NONE_YET = "No subscriptions yet. A relay creates one for each route that reads the outbox.";

    /** Columns that are omitted if the terminal is too narrow, in this order. */
    private static final List<String> DETAILS =
            List.of("EPOCH", "LANES", "POSITION", "LEASE", "DELIVERED", "GAPS", "OWNER", "WAITING", "BLOCKED");

    private static final Duration LONG_TRANSACTION = Duration.ofMinutes(1);

    private static final Table<SubscriptionStatus> TABLE = new Table<SubscriptionStatus>(NONE_YET)
            .column("SUBSCRIPTION", SubscriptionStatus::name)
            .column("LANES>", status -> status.lanes().size())
            .column("POSITION>", SubscriptionStatus::position)
            .column("DELIVERED>", SubscriptionStatus::delivered)
            .column("GAPS>", SubscriptionStatus::gaps)
            .column("BACKLOG>", StatusCommand::backlog)
            .column("LAG>", status -> Span.text(status.lag()))
            .column("WAITING>", SubscriptionStatus::waiting)
            .column("BLOCKED>", StatusCommand::blocked)
            .column("DEAD>", SubscriptionStatus::deadLetters)
            .column("OWNER", SubscriptionStatus::owner)
            .column("EPOCH>", SubscriptionStatus::epoch)
            .column("LEASE>", status -> status.leaseLeft().map(left -> lease(left, status)))
            .column("STATE", StatusCommand::state);

    /** Columns of intakes that are omitted if the terminal is too narrow, in this order. */
    private static final List<String> DETAILS_OF_INTAKES = List.of("LAST COPY", "SOURCE", "RELAY", "REJECTED");

    @Mixin
    private SettingsOptions options;

    @Option(names = "--watch", description = "Refresh until Ctrl-C.")
    private boolean watch;

    @Mixin
    private IntervalOption interval;

    @Option(
            names = "--wide",
            description = "Show all columns. Without it, columns that do not fit into the terminal are left out.")
    private boolean wide;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() throws SQLException, InterruptedException {
        if (interval.isGiven() && !watch) {
            throw options.wrong("--interval needs --watch.");
        }
        Duration pause = interval.duration();
        if (watch) {
            DataSource database = Database.forCommand(options.settings());
            output.watch(Watch.UNTIL_STOPPED).run(pause, () -> {
                Read read = Read.of(database);
                return output.refresh(text(read) + warning(database), read.json());
            });
        } else {
            Read read = Read.of(options.database());
            output.print(text(read) + warning(options.database()) + errorHandling(), read.json());
        }
        return 0;
    }

    /** Which error handling the routes folder of these settings has; empty without such a folder. */
    private String errorHandling() {
        return options.routes()
                .map(routes -> routes.resolve(BuiltInRoutes.ERROR_HANDLING))
                .map(file -> "\nError handling: "
                        + (Files.exists(file) ? file + ", instead of the built-in one" : "built in"))
                .orElse("");
    }

    private static String warning(DataSource database) throws SQLException {
        return OldestTransaction.olderThan(LONG_TRANSACTION, database)
                .map(transaction ->
                        "\n" + transaction.holder() + " has prevented the database from removing old row versions for "
                                + Span.text(transaction.age())
                                + ". Relays save less often, and a crash repeats more messages. End it if it"
                                + " is no longer needed.")
                .orElse("");
    }

    private record Read(List<SubscriptionStatus> subscriptions, List<IntakeStatus> intakes) {
        static Read of(DataSource database) throws SQLException {
            return new Read(SubscriptionStatus.all(database), new Intakes(database).list());
        }

        /** The subscriptions, then the intakes: an element has the name {@code subscription} or {@code intake}. */
        List<Record> json() {
            return Stream.<Record>concat(subscriptions.stream(), intakes.stream())
                    .toList();
        }
    }

    private String text(Read read) {
        int width = wide ? 0 : output.width();
        return TABLE.text(read.subscriptions(), width, DETAILS)
                + halts(read.subscriptions())
                + IntakeText.below(IntakeText.TABLE, read.intakes(), read.intakes(), width, DETAILS_OF_INTAKES);
    }

    /** The command that a person has to run for each halted subscription. */
    private static String halts(List<SubscriptionStatus> all) {
        return all.stream()
                .filter(status -> status.halt().isPresent())
                .map(status -> String.format(
                        Locale.ROOT,
                        "%n%s is halted: %s. Resume it with: caravan subscriptions resume %s --after ID",
                        status.name(),
                        status.halt().get().reason(),
                        status.name()))
                .collect(Collectors.joining());
    }

    /** {@code <= 120}, because the backlog is an upper bound. */
    static String backlog(SubscriptionStatus status) {
        return (status.backlog() == 0 ? "" : "<= ") + status.backlog();
    }

    /** {@code 12 in 3 keys}. */
    private static String blocked(SubscriptionStatus status) {
        String keys = status.blockedKeys().counted("key");
        return status.blocked() + (status.blocked().atLeast() == 0 ? "" : " in " + keys);
    }

    /** The state, with what a person can know about it: the outage, the blocked keys or the rate. */
    static String state(SubscriptionStatus status) {
        return switch (status.state()) {
            case DESTINATION_UNAVAILABLE ->
                unavailable(status.destination().outage().orElseThrow());
            case KEYS_BLOCKED -> deadKeys(status);
            case RUNNING ->
                status.rate().map(RateStatus::text).orElse(status.state().toString());
            default -> status.state().toString();
        };
    }

    /** {@code 303 keys blocked by dead letters}. */
    private static String deadKeys(SubscriptionStatus status) {
        boolean one = status.keysBlockedByDead().toString().equals("1");
        return status.keysBlockedByDead() + (one ? " key blocked by a dead letter" : " keys blocked by dead letters");
    }

    /** {@code unavailable 3m 5s, probe in 12s}. */
    private static String unavailable(DestinationStatus.Outage outage) {
        return "unavailable " + Span.text(outage.lasting()) + ", probe " + Span.in(outage.untilProbe());
    }

    /** {@code 9s}, or {@code 9s, no presence}. */
    private static String lease(Duration left, SubscriptionStatus status) {
        return left.isNegative() ? "expired" : Span.text(left) + (status.lacksPresence() ? ", no presence" : "");
    }
}
