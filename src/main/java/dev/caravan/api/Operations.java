package dev.caravan.api;

import dev.caravan.component.OutboxComponent;
import dev.caravan.deadletter.Subscriptions;
import dev.caravan.settings.NearestName;
import dev.caravan.settings.Settings;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;

/** All operations of a relay. {@code openapi.json} describes them. */
final class Operations implements AutoCloseable {
    private final History history = new History();
    private final Jobs jobs = new Jobs();
    private final List<Operation> all;

    Operations(DataSource database, Settings settings, ManagementSettings management, CamelContext context) {
        String relay = context.getComponent("outbox", OutboxComponent.class).getRelay();
        Subscription subscription = new Subscription(history);
        all = Stream.of(
                        new SystemOperations(database, settings, management, history, jobs, subscription, relay).all(),
                        new SubscriptionOperations(database, jobs, subscription).all(),
                        new DeadLetterOperations(database, jobs, management.mask()).all(),
                        new RetryOperations(database, jobs, management.mask()).all(),
                        new MessageOperations(database, management.mask()).all())
                .flatMap(List::stream)
                .toList();
    }

    List<Operation> all() {
        return all;
    }

    History history() {
        return history;
    }

    /** Jobs end between two steps. */
    @Override
    public void close() {
        jobs.close();
    }

    /** @throws Problem when there is no such subscription, with the name that was meant perhaps */
    static void requireSubscription(DataSource database, String name) throws SQLException {
        List<String> names = new Subscriptions(database).names();
        if (!names.contains(name)) {
            throw Problem.missing("There is no subscription " + name.replaceAll("\\p{Cntrl}", " ")
                    + NearestName.to(name, names)
                            .map(near -> ", did you mean " + near + "?")
                            .orElse(".")
                    + " Nothing was changed.");
        }
    }
}
