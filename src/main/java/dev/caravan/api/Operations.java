package dev.caravan.api;

import dev.caravan.context.RouteOutline;
import dev.caravan.deadletter.Discards;
import dev.caravan.diagnosis.RecentSamples;
import dev.caravan.http.ApiResponse;
import dev.caravan.http.HttpProblem;
import dev.caravan.http.ManagementSettings;
import dev.caravan.http.Operation;
import dev.caravan.json.Fields;
import dev.caravan.monitoring.Sampler;
import dev.caravan.outbox.OutboxComponent;
import dev.caravan.partition.Partition;
import dev.caravan.partition.Retention;
import dev.caravan.settings.Settings;
import dev.caravan.subscription.Subscriptions;
import dev.caravan.text.NearestName;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;

/** All operations of the HTTP API. {@code openapi.json} describes them. */
final class Operations implements AutoCloseable {
    private final Jobs jobs = new Jobs();
    private final List<Operation> all;

    Operations(
            DataSource database,
            Settings settings,
            ManagementSettings management,
            CamelContext context,
            Sampler sampler,
            RecentSamples samples) {
        String relay = context.getComponent("outbox", OutboxComponent.class).getRelay();
        Subscription subscription = new Subscription(samples);
        Discards discards = Discards.from(settings, database);
        all = Stream.of(
                        new SystemOperations(database, sampler, samples, jobs, subscription, relay).all(),
                        new SubscriptionOperations(database, jobs, subscription).all(),
                        new DeadLetterOperations(
                                        database,
                                        jobs,
                                        management.mask(),
                                        new Trials(settings, management.mask()),
                                        discards)
                                .all(),
                        new DiscardedOperations(database, jobs, discards).all(),
                        new BulkRetryOperations(database).all(),
                        new RetryOperations(database, jobs, management.mask()).all(),
                        new MessageOperations(database, management.mask(), samples).all(),
                        List.of(
                                Operation.get(
                                        "/api/partitions",
                                        Set.of(),
                                        call -> partitions(database, Retention.from(settings))),
                                Operation.get("/api/routes", Set.of(), call -> routes(context))))
                .flatMap(List::stream)
                .toList();
    }

    private static ApiResponse routes(CamelContext context) {
        return ApiResponse.items(
                RouteOutline.all(context).stream().map(RouteOutline::fields).toList());
    }

    private static ApiResponse partitions(DataSource database, Retention retention) throws SQLException {
        return ApiResponse.items(
                Partition.all(database, retention).stream().map(Fields::of).toList());
    }

    List<Operation> all() {
        return all;
    }

    /** The kinds of changes by people that are counted. */
    Set<String> kindsOfChange() {
        return all.stream()
                .map(Operation::change)
                .filter(kind -> !kind.isEmpty() && !kind.equals("bulk")) // counted as the action in the body
                .collect(Collectors.toSet());
    }

    /** Stops the jobs after their current step. */
    @Override
    public void close() {
        jobs.close();
    }

    /** @throws HttpProblem for an unknown subscription, with the nearest known name */
    static void requireSubscription(DataSource database, String name) throws SQLException {
        List<String> names = new Subscriptions(database).names();
        if (!names.contains(name)) {
            throw HttpProblem.missing("There is no subscription " + name.replaceAll("\\p{Cntrl}", " ")
                    + NearestName.to(name, names)
                            .map(near -> ", did you mean " + near + "?")
                            .orElse(".")
                    + " Nothing was changed.");
        }
    }
}
