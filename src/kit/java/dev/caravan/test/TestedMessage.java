package dev.caravan.test;

import dev.caravan.engine.schedule.Failure;
import dev.caravan.routes.destination.HttpSent;
import dev.caravan.routes.destination.KafkaSent;
import dev.caravan.routes.destination.MailSent;
import dev.caravan.routes.destination.OtherSent;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.destination.SqlSent;
import dev.caravan.routes.tryout.Recorded;
import dev.caravan.test.RouteMessage.State;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A message that was sent to routes, with its outcome. The outcome changes with each later {@link RouteTest#retry}. If several routes
 * read its type, an assertion must hold for each of them; {@link #by} selects one.
 *
 * <p>A failed assertion shows the outcome, its reason, and what each attempt sent.
 */
public final class TestedMessage {
    private final TestMessage message;
    private final List<RouteMessage> routes;
    private final RouteTest test;

    TestedMessage(TestMessage message, List<RouteMessage> routes, RouteTest test) {
        this.message = message;
        this.routes = routes;
        this.test = test;
    }

    /** The message id, which receivers see. */
    public UUID id() {
        return message.id();
    }

    /**
     * Returns the same message with the outcome of one route only.
     *
     * @param route the id of the route, or the name of its subscription
     * @throws AssertionError if no such route reads the type of the message
     */
    public TestedMessage by(String route) {
        List<RouteMessage> only = routes.stream()
                .filter(each -> each.lane().route().id().equals(route)
                        || each.lane().route().subscription().equals(route))
                .toList();
        if (only.isEmpty()) {
            throw Report.failure("No route " + route + " reads the message. " + test.readers(message));
        }
        return new TestedMessage(message, only, test);
    }

    /** Asserts that the message was delivered: something was sent, and the route acknowledged the message. */
    public TestedMessage assertDelivered() {
        return assertState("to be delivered", State.DELIVERED);
    }

    /**
     * Asserts that the route acknowledged the message, whatever it sent: it was delivered, filtered out or recognized as a repeat. Use this
     * for a route that sends with a bean, because that cannot be recorded.
     */
    public TestedMessage assertAcknowledged() {
        return assertState("to be acknowledged", State.DELIVERED, State.FILTERED, State.REPEAT);
    }

    /** Asserts that no route reads the type of the message, or that a step filtered it out: it counts as delivered, nothing was sent. */
    public TestedMessage assertFiltered() {
        return routes.isEmpty() ? this : assertState("to be filtered out", State.FILTERED);
    }

    /** Asserts that an idempotentConsumer recognized the message as a repeat and skipped its steps. */
    public TestedMessage assertRepeat() {
        return assertState("to be recognized as a repeat", State.REPEAT);
    }

    /** Asserts that the last attempt failed, that it counts, and that the message is retried later. */
    public TestedMessage assertRetried() {
        return assertState("to be retried", State.RETRIED);
    }

    /**
     * Asserts that the message waits because the destination counts as unavailable, for example after the answer 429 or 503. The
     * attempt does not count, and all messages of the subscription wait.
     */
    public TestedMessage assertUnavailable() {
        return assertState("to wait for its unavailable destination", State.UNAVAILABLE);
    }

    /** Asserts that the message waits behind an earlier message of its key that is retried or, with {@code onDead=block}, dead. */
    public TestedMessage assertBlocked() {
        return assertState("to wait behind an earlier message of its key", State.BLOCKED);
    }

    /** Asserts that the message is a dead letter. */
    public TestedMessage assertDead() {
        return assertState("to be a dead letter", State.DEAD);
    }

    private TestedMessage assertState(String expected, State... allowed) {
        if (routes.isEmpty()) {
            throw Report.failure("Expected the message " + expected + ". " + test.readers(message));
        }
        Set<State> states = EnumSet.of(allowed[0], allowed);
        for (RouteMessage each : routes) {
            if (!states.contains(each.state())) {
                throw Report.failure("Expected the message " + expected + ".\n" + each.describe() + hint(each));
            }
        }
        return this;
    }

    private static String hint(RouteMessage message) {
        return switch (message.state()) {
            case RETRIED, BLOCKED, UNAVAILABLE -> "\n  RouteTest.retry() makes the next attempt.";
            case FILTERED -> "\n  If a bean of the route sends the message, use assertAcknowledged().";
            default -> "";
        };
    }

    /**
     * Asserts that the last failure contains this text: in the class of the error, in its message or in the answer of the destination.
     *
     * @throws AssertionError if it does not contain the text, or if no attempt has failed
     */
    public TestedMessage assertReason(String part) {
        for (RouteMessage each : routes) {
            String reason = each.failure().map(TestedMessage::text).orElse("");
            if (!reason.contains(part)) {
                throw Report.failure("Expected the reason of the failure to contain \"" + part + "\".\n"
                        + each.describe()
                        + (reason.isEmpty() ? "\n  No attempt has failed." : ""));
            }
        }
        return this;
    }

    private static String text(Failure failure) {
        return failure.errorClass() + ": " + failure.errorText() + "\n" + failure.answer();
    }

    /** Number of attempts so far; with several routes, the largest number of a route. */
    public int attempts() {
        return routes.stream().mapToInt(each -> each.attempts().size()).max().orElse(0);
    }

    /** The longest wait that a destination requested in its answer to the last attempt; zero if none was requested. */
    public Duration retryAfter() {
        return routes.stream()
                .map(RouteMessage::retryAfter)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** Everything that all attempts sent for the message, in order, including failed attempts. For a batch: everything of the batch. */
    public List<Sent> sent() {
        return routes.stream().flatMap(each -> each.sent().stream()).toList();
    }

    /** What all attempts sent of one kind, in order, for example {@code sent(HttpSent.class)}. */
    public <S extends Sent> List<S> sent(Class<S> kind) {
        return sent().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** What the route {@code dead-letter} sent, in order; empty unless the message is a dead letter. */
    public List<Sent> sentByDeadLetterRoute() {
        return routes.stream()
                .flatMap(each -> each.sentByDeadLetterRoute().stream())
                .map(Recorded::sent)
                .toList();
    }

    /**
     * The HTTP request that the last attempt sent.
     *
     * @throws AssertionError if it sent none, or several
     */
    public HttpSent http() {
        return last(HttpSent.class, "HTTP request");
    }

    /**
     * The Kafka record that the last attempt sent; of a batch, the record with the id of this message.
     *
     * @throws AssertionError if it sent none, or several
     */
    public KafkaSent kafka() {
        return last(KafkaSent.class, "Kafka record");
    }

    /**
     * The email that the last attempt sent.
     *
     * @throws AssertionError if it sent none, or several
     */
    public MailSent mail() {
        return last(MailSent.class, "mail");
    }

    /**
     * The SQL statement that the last attempt sent. A message that a route appends to the outbox is recorded as an {@code insert}.
     *
     * @throws AssertionError if it sent none, or several
     */
    public SqlSent sql() {
        return last(SqlSent.class, "SQL statement");
    }

    /**
     * What the last attempt sent to an endpoint of another component.
     *
     * @throws AssertionError if it sent nothing to one, or several exchanges
     */
    public OtherSent other() {
        return last(OtherSent.class, "exchange for another component");
    }

    private <S extends Sent> S last(Class<S> kind, String name) {
        List<S> found = routes.stream()
                .filter(each -> !each.attempts().isEmpty())
                .flatMap(each -> lastAttempt(each, kind).stream())
                .toList();
        if (found.size() != 1) {
            throw Report.failure("Expected one " + name + " in the last attempt, but there were " + found.size()
                    + (found.size() > 1 ? ", which sent(" + kind.getSimpleName() + ".class) returns" : "") + ".\n"
                    + this);
        }
        return found.get(0);
    }

    private <S extends Sent> List<S> lastAttempt(RouteMessage route, Class<S> kind) {
        RouteAttempt last = route.attempts().get(route.attempts().size() - 1);
        List<S> all = last.recorded().stream()
                .map(Recorded::sent)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
        List<S> own = all.stream()
                .filter(sent -> sent.header("id").equals(Optional.of(id().toString())))
                .toList();
        return last.messages() > 1 && !own.isEmpty() ? own : all;
    }

    /** Describes for people the outcome of the message and what was sent. Values of secret settings are hidden. */
    @Override
    public String toString() {
        return routes.isEmpty()
                ? test.readers(message)
                : routes.stream().map(RouteMessage::describe).collect(Collectors.joining("\n"));
    }
}
