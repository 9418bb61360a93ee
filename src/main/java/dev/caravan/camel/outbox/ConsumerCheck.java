package dev.caravan.camel.outbox;

import dev.caravan.base.message.TypePatterns;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.Span;
import dev.caravan.camel.guard.PartExchanges;
import dev.caravan.database.OutboxSchema;
import dev.caravan.engine.lane.Rate;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.store.LaneId;
import java.util.ArrayList;
import java.util.List;

/** Checks the options of an endpoint that a route reads from, and of its component, and reports all problems at once. */
final class ConsumerCheck {
    private final List<String> problems = new ArrayList<>();

    private ConsumerCheck() {}

    /** @throws IllegalArgumentException with all problems */
    static void require(OutboxEndpoint endpoint) {
        List<String> problems = new ArrayList<>(of(endpoint));
        problems.addAll(of(endpoint.getComponent()));
        endpoint.refuse(problems);
    }

    static List<String> of(OutboxEndpoint endpoint) {
        ConsumerCheck check = new ConsumerCheck();
        check.name(endpoint);
        check.ranges(endpoint);
        check.combinations(endpoint);
        check.rate(endpoint);
        check.patterns(endpoint);
        check.parts(endpoint);
        check.append(endpoint.getAppended());
        return check.problems;
    }

    static List<String> of(OutboxComponent component) {
        ConsumerCheck check = new ConsumerCheck();
        check.time("leaseDuration", component.getLeaseDuration(), "100ms", "1h");
        check.time("attemptTimeout", component.getAttemptTimeout(), "1s", "1d");
        if (!OutboxSchema.isName(component.getSchema())) {
            check.problems.add("schema must be the name of a schema without quotes, got " + component.getSchema());
        }
        check.within("maxAnswerBytes", component.getMaxAnswerBytes(), 1024, 1L << 30);
        check.housekeeping(component);
        return check.problems;
    }

    private void housekeeping(OutboxComponent component) {
        try {
            component.housekeepingSettings();
        } catch (SettingsException e) {
            problems.add(e.getMessage());
        }
    }

    private void name(OutboxEndpoint endpoint) {
        if (!LaneId.isName(endpoint.getName())) {
            problems.add(
                    "the name must be 1 to 100 lower-case letters, digits, dots, dashes and underscores, and begin with"
                            + " a letter or digit, got " + endpoint.getName());
        }
        if (endpoint.getName().equals(DeadLetterProducer.NAME)) {
            problems.add("dead-letter is not a subscription: outbox:dead-letter is the destination that makes a message"
                    + " dead. To receive each dead letter, write a route from direct:dead-letter");
        }
    }

    private void ranges(OutboxEndpoint endpoint) {
        within("lanes", endpoint.getSubscription().getLanes(), 1, 64);
        within("concurrency", endpoint.getLimits().getConcurrency(), 1, 1000);
        within("batchMaxMessages", endpoint.getBatches().getBatchMaxMessages(), 1, 10_000);
        within("batchMaxBytes", endpoint.getBatches().getBatchMaxBytes(), 1024, 1L << 30);
        time("batchMaxWait", endpoint.getBatches().getBatchMaxWait(), "0ms", "1h");
        within("batchBytes", endpoint.getLimits().getBatchBytes(), 1024, 1L << 30);
        within("maxMessageBytes", endpoint.getLimits().getMaxMessageBytes(), 1024, 1L << 30);
        within("window", endpoint.getLimits().getWindow(), 1, 1_000_000);
        time("saveInterval", endpoint.getLimits().getSaveInterval(), "1ms", "1m");
        time("backoff", endpoint.getRetries().getBackoff(), "1ms", "1d");
        time("maxBackoff", endpoint.getRetries().getMaxBackoff(), "1ms", "30d");
        within("maxAttempts", endpoint.getRetries().getMaxAttempts(), 1, 1000);
        time("maxAge", endpoint.getRetries().getMaxAge(), "1ms", "365d");
    }

    private void combinations(OutboxEndpoint endpoint) {
        if (endpoint.getSubscription().getOrder() == Order.strict
                && endpoint.getSubscription().getLanes() > 1) {
            problems.add("order=strict and lanes (" + endpoint.getSubscription().getLanes()
                    + ") cannot be combined: lanes deliver in parallel, remove lanes or set order to key");
        }
        if (endpoint.getRetries().getMaxBackoff() < endpoint.getRetries().getBackoff()) {
            problems.add("maxBackoff (" + endpoint.getRetries().getMaxBackoff() + "ms) is shorter than backoff ("
                    + endpoint.getRetries().getBackoff() + "ms): raise maxBackoff or lower backoff");
        }
        if (endpoint.getBatches().isBatching() && endpoint.getSubscription().isIdempotent()) {
            problems.add("batching and idempotent cannot be combined: put an idempotentConsumer into the split of the"
                    + " list instead");
        }
        if (endpoint.getSubscription().isPipelined()
                && endpoint.getSubscription().isIdempotent()) {
            problems.add("pipelined and idempotent cannot be combined: after a failure the later messages of its key"
                    + " are sent again, to restore their order, and idempotent would skip them. Remove one of the two");
        }
        if (endpoint.getBatches().isBatching() && endpoint.getSubscription().isPipelined()) {
            problems.add("batching and pipelined cannot be combined: a batch already contains the next messages of its"
                    + " keys, remove pipelined");
        }
        if (endpoint.getSubscription().getOrder() == Order.none
                && endpoint.getSubscription().isPipelined()) {
            problems.add("order none and pipelined cannot be combined: in order none no message waits for another,"
                    + " remove pipelined");
        }
    }

    private void append(AppendOptions options) {
        if (options.getType() != null) {
            problems.add("type is an option of outbox: as a destination. Use types for the types that a route reads");
        }
        if (options.getAggregateType() != null || options.getAggregateId() != null || options.isBinary()) {
            problems.add("aggregateType, aggregateId and binary are options of outbox: as a destination: remove them");
        }
    }

    private void rate(OutboxEndpoint endpoint) {
        Integer burst = endpoint.getLimits().getBurst();
        if (endpoint.getLimits().getRate() == null) {
            if (burst != null) {
                problems.add("burst has no effect without rate: add rate or remove burst");
            }
            return;
        }
        try {
            Rate.parse(endpoint.getLimits().getRate());
        } catch (IllegalArgumentException e) {
            problems.add("rate: " + e.getMessage());
        }
        if (burst != null) {
            within("burst", burst, 1, Rate.MAX_MESSAGES);
            if (burst >= 1 && burst < endpoint.getSubscription().getLanes()) {
                problems.add("burst (" + burst + ") is smaller than lanes ("
                        + endpoint.getSubscription().getLanes()
                        + "), and each lane needs room for one attempt: raise burst");
            }
        }
    }

    private void patterns(OutboxEndpoint endpoint) {
        String onDead = endpoint.getRetries().getOnDead();
        if (!onDead.equals("continue") && !onDead.equals("block")) {
            problems.add("onDead must be continue or block, got " + onDead);
        }
        if (!TypePatterns.areValid(endpoint.getSubscription().getTypes())) {
            problems.add("types must name at least one type, and none may be empty (* for all), got "
                    + endpoint.getSubscription().getTypes());
        }
        try {
            Start.parse(endpoint.getSubscription().getStart());
        } catch (IllegalArgumentException e) {
            problems.add(e.getMessage());
        }
    }

    private void parts(OutboxEndpoint endpoint) {
        if (!PartExchanges.isInstalled(endpoint.getCamelContext())) {
            problems.add(
                    "the application has replaced the exchange factory of Camel after the component outbox was created, so a"
                            + " failure in a split or multicast could count as delivered: set it before, for example with"
                            + " camel.main.exchangeFactory");
        }
    }

    private void time(String option, long millis, String min, String max) {
        if (millis < Span.parse(min).toMillis() || millis > Span.parse(max).toMillis()) {
            problems.add(option + " must be between " + min + " and " + max + ", got " + millis + "ms");
        }
    }

    private void within(String option, long value, long min, long max) {
        if (value < min || value > max) {
            problems.add(option + " must be between " + min + " and " + max + ", got " + value);
        }
    }
}
