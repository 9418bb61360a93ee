package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.database.Database;
import dev.caravan.subscription.Subscriptions;
import dev.caravan.text.Humane;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan subscriptions delete}: forget a subscription. */
@Command(
        name = "delete",
        sortOptions = false,
        description = {
            "Remove a subscription with its progress, retries and dead letters. Messages in the outbox stay.",
            "Refused while a route uses it: remove the route first. A route of the same name starts anew."
        })
final class SubscriptionsDeleteCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SUBSCRIPTION", description = "Its name.")
    private String name;

    @Option(names = "--yes", description = "Do not ask when retries or dead letters are lost.")
    private boolean yes;

    @Mixin
    private SignatureOptions signature;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        Actor by = signature.signature();
        Subscriptions subscriptions = new Subscriptions(Database.forLongCommand(options.settings()));
        new SubscriptionNames(subscriptions).require(name);
        subscriptions.requireUnused(name);
        Subscriptions.Content content = subscriptions.content(name);
        String lost = Humane.counted(content.retries(), "message") + " waiting for a retry and "
                + Humane.counted(content.deadLetters(), "dead letter");
        if (!content.isEmpty()
                && !yes
                && !Confirmation.onConsole(spec.commandLine())
                        .agreed("Delete subscription " + name + " and lose " + lost)) {
            spec.commandLine().getErr().println("Nothing was changed.");
            return 0;
        }
        subscriptions.delete(name, content, by);
        output.print(
                () -> "Deleted subscription " + name + (content.isEmpty() ? "." : " with " + lost + "."),
                () -> fields(content));
        return 0;
    }

    private Map<String, Object> fields(Subscriptions.Content content) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("deleted", true);
        fields.put("retries", content.retries());
        fields.put("deadLetters", content.deadLetters());
        return fields;
    }
}
