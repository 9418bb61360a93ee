package dev.caravan.route;

import dev.caravan.delivery.Outcome;
import dev.caravan.headers.OutboxConstants;
import dev.caravan.text.Causes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Ordered;
import org.apache.camel.SafeCopyProperty;
import org.apache.camel.support.SynchronizationAdapter;

/**
 * A whole attempt, or a part of it that split, multicast or recipientList creates, and its faults. An unhandled failure of a part
 * fails the whole attempt, even if an aggregation strategy drops the error.
 *
 * <p>It is attached to the exchange as a property that steps of a route cannot remove. A copy of an exchange has the same
 * property, unless the copy is a part.
 */
public final class Part implements SafeCopyProperty {
    private static final String PROPERTY = "CamelOutboxPart";

    private static final SynchronizationAdapter FAIL_AT_COMPLETION = new SynchronizationAdapter() {
        @Override
        public void onDone(Exchange exchange) {
            exchange.getExchangeExtension().setFailureHandled(true);
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST;
        }
    };

    /** Null for the whole attempt. */
    private final Part whole;

    /** The exchange at its begin. */
    private final Exchange exchange;

    /** The path of parts to this one, the same on every attempt. Empty for the whole, and for the first branch of a step in it. */
    private final String path;

    private int parts;
    /** How often each name was used to append, in all parts; only set in the whole attempt. */
    private Map<String, Integer> appended = Map.of();

    private Fault dead;
    /** The fault of parts that is not in the exception of this exchange. */
    private Fault hidden;

    private boolean stepRuns;
    /** Ends of parts of the running step that Camel does not report: inside a doTry they have no unit of work. */
    private List<Runnable> unreported = List.of();
    /** The fault thrown by parts of the running step. */
    private Fault thrown;
    /** The fault thrown by parts of an earlier step; {@link #passedOnAs} is the exception with which that step failed. */
    private Fault passedOn;

    private Throwable passedOnAs;

    private Part(Part whole, String path, Exchange exchange) {
        this.whole = whole;
        this.path = path;
        this.exchange = exchange;
        attachTo(exchange);
    }

    /** Begins an attempt with an exchange. */
    public static Part begin(Exchange exchange) {
        return new Part(null, "", exchange);
    }

    /** The part that an exchange belongs to; null if it carries no message of the outbox, or runs after the end of the attempt. */
    public static Part of(Exchange exchange) {
        return exchange.getProperty(ExchangePropertyKey.ON_COMPLETION) == null
                ? exchange.getExchangeExtension().getSafeCopyProperty(PROPERTY, Part.class)
                : null;
    }

    /**
     * Makes a copy of an exchange a part of it.
     *
     * @param ofSplit whether it is an element of a split, and not a branch of multicast or recipientList
     * @param sharesUnitOfWork whether the end of the copy is only reported at the end of the whole
     */
    static void split(Exchange exchange, Exchange copy, boolean ofSplit, boolean sharesUnitOfWork) {
        Part whole = of(exchange);
        if (whole == null) {
            return;
        }
        Part part = new Part(whole, whole.nextPlace(ofSplit), copy);
        copy.removeProperty(OutboxConstants.FAILURE);
        if (sharesUnitOfWork || copy.getProperty(ExchangePropertyKey.TRY_ROUTE_BLOCK, false, boolean.class)) {
            whole.expect(() -> part.ended(copy));
        } else {
            copy.getExchangeExtension().addOnCompletion(part.end());
        }
    }

    /** Makes a copy independent of the message. */
    static void detach(Exchange copy) {
        copy.getExchangeExtension().setSafeCopyProperty(PROPERTY, null);
    }

    private void attachTo(Exchange carrier) {
        carrier.getExchangeExtension().setSafeCopyProperty(PROPERTY, this);
    }

    @Override
    public Part safeCopy() {
        return this;
    }

    /** Marks the message as dead, as the route demands. */
    public synchronized void dead(Exchange marked) {
        failAtCompletion();
        dead = Fault.of(marked, Outcome.DEAD);
    }

    /**
     * Marks the exchange as failed when it completes. Otherwise an idempotentConsumer would record the message as delivered and
     * skip the next attempt as a repeat.
     */
    private void failAtCompletion() {
        if (dead == null && hidden == null) {
            exchange.getExchangeExtension().addOnCompletion(FAIL_AT_COMPLETION);
        }
    }

    private synchronized String nextPlace(boolean ofSplit) {
        int number = parts++;
        if (ofSplit) {
            return path + "/" + number;
        }
        return number == 0 ? path : path + "/m" + number;
    }

    /**
     * A name for the next message that a step appends: different for each appended message, and the same on every attempt. Parts
     * that run at the same time have different paths, so each has its own count.
     */
    public String nextName(String step) {
        int before = attempt().timesAppended(step + path);
        return step + path + (before == 0 ? "" : "#" + before);
    }

    /** Records that the message was appended. */
    public void appended(String step) {
        attempt().countAppended(step + path);
    }

    private Part attempt() {
        return whole == null ? this : whole.attempt();
    }

    private synchronized int timesAppended(String name) {
        return appended.getOrDefault(name, 0);
    }

    private synchronized void countAppended(String name) {
        if (appended.isEmpty()) {
            appended = new HashMap<>();
        }
        appended.merge(name, 1, Integer::sum);
    }

    /** Records the begin of a step that creates parts of the exchange. */
    synchronized void stepBegins() {
        parts = 0;
        stepRuns = true;
    }

    /** Records the end of the step. If it failed, the route may still handle its exception, and with it the faults of its parts. */
    void stepEnded(Exchange exchange) {
        attachTo(exchange); // the result of a part may have been copied to it, with the property of that part
        List<Runnable> ended;
        synchronized (this) {
            ended = unreported;
            unreported = List.of();
        }
        ended.forEach(Runnable::run);
        conclude(exchange.getException());
    }

    private synchronized void conclude(Throwable error) {
        stepRuns = false;
        if (error == null) {
            addHidden(thrown);
        } else if (thrown != null) {
            passedOn = thrown;
            passedOnAs = error;
        }
        thrown = null;
    }

    private synchronized void expect(Runnable end) {
        if (unreported.isEmpty()) {
            unreported = new ArrayList<>();
        }
        unreported.add(end);
    }

    private SynchronizationAdapter end() {
        return new SynchronizationAdapter() {
            @Override
            public void onDone(Exchange exchange) {
                ended(exchange);
            }

            @Override
            public boolean allowHandover() {
                return false;
            }
        };
    }

    private void ended(Exchange exchange) {
        Fault fault = fault(exchange);
        if (fault != null) {
            whole.failed(fault, exchange.getException() != null);
        }
    }

    private synchronized void failed(Fault fault, boolean wasThrown) {
        if (wasThrown && stepRuns) {
            thrown = Fault.worse(thrown, fault);
        } else {
            addHidden(fault);
        }
    }

    private void addHidden(Fault fault) {
        if (fault != null) {
            failAtCompletion();
            hidden = Fault.worse(hidden, fault);
        }
    }

    /** The fault of its exchange, which has ended; null if it was delivered. */
    public synchronized Fault fault(Exchange exchange) {
        return Fault.worse(own(exchange), hidden);
    }

    private Fault own(Exchange exchange) {
        if (dead != null) {
            return dead;
        }
        if (!endedEarly(exchange)) {
            return null;
        }
        boolean ofDestination = isOfDestination(exchange);
        Fault fault = Fault.of(exchange, ofDestination ? Outcome.UNAVAILABLE : Outcome.RETRY);
        return isPassedOn(exchange.getException()) ? Fault.worse(passedOn, ofDestination ? fault : null) : fault;
    }

    /**
     * Whether the exchange skipped the rest of its steps: it failed, or was interrupted, even if the error was handled, or its
     * onException handled the error and marked the destination as unavailable.
     */
    private static boolean endedEarly(Exchange exchange) {
        return exchange.getException() != null
                || exchange.isRollbackOnly()
                || exchange.isRollbackOnlyLast()
                || exchange.getExchangeExtension().isInterrupted()
                || exchange.getExchangeExtension().isErrorHandlerHandledSet()
                        && exchange.getExchangeExtension().isErrorHandlerHandled()
                        && isOfDestination(exchange);
    }

    private static boolean isOfDestination(Exchange exchange) {
        return OutboxConstants.DESTINATION.equals(exchange.getProperty(OutboxConstants.FAILURE));
    }

    private boolean isPassedOn(Throwable error) {
        return Causes.of(error).anyMatch(cause -> cause == passedOnAs);
    }
}
