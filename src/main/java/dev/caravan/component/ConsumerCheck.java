package dev.caravan.component;

import dev.caravan.delivery.Order;
import java.util.ArrayList;
import java.util.List;

/** Looks at the options of an endpoint that a route reads from, and of its component, and names all that do not fit at once. */
final class ConsumerCheck {
    private static final long DAY_MILLIS = 86_400_000L;

    private final List<String> problems = new ArrayList<>();

    private ConsumerCheck() {}

    /** @throws IllegalArgumentException with everything that is wrong */
    static void require(OutboxEndpoint endpoint) {
        List<String> problems = new ArrayList<>(of(endpoint));
        problems.addAll(of(endpoint.getComponent()));
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("outbox:" + endpoint.getName() + ": " + String.join("; ", problems));
        }
    }

    static List<String> of(OutboxEndpoint endpoint) {
        ConsumerCheck check = new ConsumerCheck();
        check.name(endpoint);
        check.ranges(endpoint);
        check.combinations(endpoint);
        check.patterns(endpoint);
        check.parts(endpoint);
        return check.problems;
    }

    static List<String> of(OutboxComponent component) {
        ConsumerCheck check = new ConsumerCheck();
        check.within("leaseDuration", component.getLeaseDuration(), 100, 3_600_000);
        check.within("stopTimeout", component.getStopTimeout(), 0, 600_000);
        check.within("sleepDelay", component.getSleepDelay(), 10, 60_000);
        return check.problems;
    }

    private void name(OutboxEndpoint endpoint) {
        if (!endpoint.getName().matches("[a-z0-9][a-z0-9._-]{0,99}")) {
            problems.add("the name must be 1 to 100 lower-case letters, digits, dots, dashes and underscores, got "
                    + endpoint.getName());
        }
        if (endpoint.getName().equals(DeadLetterProducer.NAME)) {
            problems.add(
                    "dead-letter is no subscription but where a route sends what is not to be tried again: to see each"
                            + " dead letter, write a route from direct:dead-letter");
        }
    }

    private void ranges(OutboxEndpoint endpoint) {
        within("lanes", endpoint.getLanes(), 1, 64);
        within("concurrency", endpoint.getConcurrency(), 1, 1000);
        within("batchSize", endpoint.getBatchSize(), 1, 10_000);
        within("batchBytes", endpoint.getBatchBytes(), 1024, 1L << 30);
        within("window", endpoint.getWindow(), 1, 1_000_000);
        within("ackInterval", endpoint.getAckInterval(), 1, 60_000);
        within("maxDelay", endpoint.getMaxDelay(), 1, 60_000);
        within("backoff", endpoint.getBackoff(), 1, DAY_MILLIS);
        within("maxBackoff", endpoint.getMaxBackoff(), endpoint.getBackoff(), 30 * DAY_MILLIS);
        within("maxAttempts", endpoint.getMaxAttempts(), 1, 1000);
        within("maxAge", endpoint.getMaxAge(), 1, 365 * DAY_MILLIS);
        within("maxRetryAfter", endpoint.getMaxRetryAfter(), 1, DAY_MILLIS);
        within("delay", endpoint.getDelay(), 1, 60_000);
        within("initialDelay", endpoint.getInitialDelay(), 0, 3_600_000);
    }

    private void combinations(OutboxEndpoint endpoint) {
        if (endpoint.getOrder() == Order.strict && endpoint.getLanes() > 1) {
            problems.add("order strict and lanes (" + endpoint.getLanes()
                    + ") disagree: lanes are worked beside each other, remove lanes or set order to key");
        }
        if (endpoint.getWindow() < endpoint.getBatchSize()) {
            problems.add("window (" + endpoint.getWindow() + ") is smaller than batchSize (" + endpoint.getBatchSize()
                    + "), so nothing could be read: raise window or lower batchSize");
        }
        if (endpoint.getBackoffMultiplier() > 0
                && endpoint.getBackoffIdleThreshold() <= 0
                && endpoint.getBackoffErrorThreshold() <= 0) {
            problems.add("backoffMultiplier (" + endpoint.getBackoffMultiplier()
                    + ") needs backoffIdleThreshold or backoffErrorThreshold: set one of them above 0");
        }
        if (endpoint.getOrder() == Order.none && endpoint.isPipelined()) {
            problems.add("order none and pipelined disagree: without an order nothing waits anyway, remove pipelined");
        }
    }

    private void patterns(OutboxEndpoint endpoint) {
        String onDead = endpoint.getOnDead();
        if (!onDead.equals("continue") && !onDead.equals("block")) {
            problems.add("onDead must be continue or block, got " + onDead);
        }
        if (!TypePatterns.areValid(endpoint.getTypes())) {
            problems.add(
                    "types must name at least one type, and none may be empty (* for all), got " + endpoint.getTypes());
        }
        try {
            Start.parse(endpoint.getStart());
        } catch (IllegalArgumentException e) {
            problems.add(e.getMessage());
        }
    }

    private void parts(OutboxEndpoint endpoint) {
        if (!(endpoint.getCamelContext().getCamelContextExtension().getProcessorExchangeFactory()
                instanceof PartExchanges)) {
            problems.add(
                    "Camel uses another factory of exchanges than the one of this component, so a failure in a split"
                            + " or multicast could count as delivered: remove camel.main.exchangeFactory");
        }
    }

    private void within(String option, long value, long min, long max) {
        if (value < min || value > max) {
            problems.add(option + " must be between " + min + " and " + max + ", got " + value);
        }
    }
}
