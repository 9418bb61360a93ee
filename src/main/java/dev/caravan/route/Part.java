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
 * The whole of an attempt, or one of the parts that split, multicast and recipientList make of it, and what failed there. A
 * part that fails and does not handle it itself makes the whole fail, also when an aggregation strategy drops its error.
 *
 * <p>It travels with the exchange as a property that steps of a route cannot remove. A copy of an exchange shares it, unless
 * the copy is a part.
 */
public final class Part implements SafeCopyProperty {
    private static final String PROPERTY = "CamelOutboxPart";

    private static final SynchronizationAdapter FAULT_SHOWN = new SynchronizationAdapter() {
        @Override
        public void onDone(Exchange exchange) {
            exchange.getExchangeExtension().setFailureHandled(true);
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST;
        }
    };

    /** Null for the whole of an attempt. */
    private final Part whole;

    /** The one that it began with. */
    private final Exchange exchange;

    /** Which part of which part: the same on every attempt. Empty for the whole, and for the first branch of a step in it. */
    private final String place;

    private int parts;
    /** How often each name was used to append, in all parts; kept by the whole of the attempt. */
    private Map<String, Integer> appended = Map.of();

    private Fault dead;
    /** What failed in parts and does not show in the exception of this exchange. */
    private Fault kept;

    private boolean stepRuns;
    /** The ends of parts of the running step that nobody reports: inside a doTry, Camel runs them without a unit of work. */
    private List<Runnable> unreported = List.of();
    /** What was thrown in parts of the running step. */
    private Fault thrown;
    /** What was thrown in parts of a step, and the exception by which that step failed for it. */
    private Fault passedOn;

    private Throwable passedOnAs;

    private Part(Part whole, String place, Exchange exchange) {
        this.whole = whole;
        this.place = place;
        this.exchange = exchange;
        travelWith(exchange);
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

    /** What becomes of a copy is nothing to the message. */
    static void detach(Exchange copy) {
        copy.getExchangeExtension().setSafeCopyProperty(PROPERTY, null);
    }

    private void travelWith(Exchange carrier) {
        carrier.getExchangeExtension().setSafeCopyProperty(PROPERTY, this);
    }

    @Override
    public Part safeCopy() {
        return this;
    }

    /** The route has said that the message is not to be tried again. */
    public synchronized void dead(Exchange marked) {
        showAtTheEnd();
        dead = Fault.of(marked, Outcome.DEAD);
    }

    /**
     * Whoever remembers at the end of an exchange that it arrived, as an idempotentConsumer does, must see this fault: it would
     * take the next attempt for a repeat.
     */
    private void showAtTheEnd() {
        if (dead == null && kept == null) {
            exchange.getExchangeExtension().addOnCompletion(FAULT_SHOWN);
        }
    }

    private synchronized String nextPlace(boolean ofSplit) {
        int number = parts++;
        if (ofSplit) {
            return place + "/" + number;
        }
        return number == 0 ? place : place + "/m" + number;
    }

    /**
     * A name for the next message that a step appends: another one for each that is appended, and the same ones on every attempt.
     * Parts that run at the same moment are in different places, so each counts its own.
     */
    public String nextName(String step) {
        int before = attempt().timesAppended(step + place);
        return step + place + (before == 0 ? "" : "#" + before);
    }

    /** The message is appended. */
    public void appended(String step) {
        attempt().countAppended(step + place);
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

    /** A step begins that makes parts of the exchange. */
    synchronized void stepBegins() {
        parts = 0;
        stepRuns = true;
    }

    /** The step has ended. If it failed, its parts share the fate of that exception, which the route may yet handle. */
    void stepEnded(Exchange exchange) {
        travelWith(exchange); // the results of a part were perhaps copied to it, with that part
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
            keep(thrown);
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
            keep(fault);
        }
    }

    private void keep(Fault fault) {
        if (fault != null) {
            showAtTheEnd();
            kept = Fault.worse(kept, fault);
        }
    }

    /** Why its exchange, which has ended, did not deliver; null if it did. */
    public synchronized Fault fault(Exchange exchange) {
        return Fault.worse(own(exchange), kept);
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
     * An exchange that was interrupted has passed over the rest of its steps, also when the error was handled. So has one whose
     * onException handles the error and calls the destination unavailable.
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
