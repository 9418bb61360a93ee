package dev.caravan.camel.guard;

import dev.caravan.base.text.Causes;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.batch.BatchMessage;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.engine.schedule.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeExtension;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.NamedNode;
import org.apache.camel.SafeCopyProperty;
import org.apache.camel.processor.MulticastProcessor;
import org.apache.camel.processor.RecipientListProcessor;
import org.apache.camel.processor.Splitter;
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

    /** Property of the copy that enrich sends: its own id, because a copy of it has the same properties. */
    private static final String READING = "CamelOutboxReading";

    private static final Pattern ELEMENT = Pattern.compile("\\.\\d+");

    /** The parts of a step that are in memory at the same time: a quarter of the heap, but at least the messages of a batch. */
    static final long MOST_PARTS = Math.max(10_000, Runtime.getRuntime().maxMemory() / 4 / 2_048);

    /** More ids are not remembered: parts of a streamed split may have ids of their own. The next part compares a common one again. */
    private static final int MOST_COMPARED = 1_000;

    /** Null for the whole attempt. */
    private final Part whole;

    private final boolean ofSplit;
    private final boolean mayEndEarly;

    /**
     * The path of parts to this one, the same on every attempt, after the edit of the message. Without one it is empty for the whole, and for a
     * message in the first split of a batch.
     */
    private String path;

    /** The number of steps of this part that have created parts, and of the parts of the last one. */
    private int steps;

    private int parts;
    /** Number of successful sends, by the step. */
    private Map<String, Integer> sends = Map.of();
    /** The exchanges that have compared the id of the message first, by what they have compared it with. */
    private Map<Object, String> compared = Map.of();

    private Fault dead;
    /** The fault of parts that is not in the exception of this exchange. */
    private Fault hidden;

    private boolean stepRuns;
    private boolean followsAnswers;
    private volatile boolean storesAnswer;
    private String patternOfNext;
    /** Ends of parts of the running step that Camel does not report: inside a doTry they have no unit of work. */
    private List<Runnable> unreported = List.of();
    /** The fault thrown by parts of the running step. */
    private Fault thrown;
    /** The fault thrown by parts of an earlier step; {@link #passedOnAs} is the exception with which that step failed. */
    private Fault passedOn;

    private Throwable passedOnAs;

    /** The message of a batch that a split gave to this part, or null. */
    private BatchMessage message;

    /** The messages of the exchange if it has several, or null. */
    private MessageBatch batch;

    private MessageParts ofMessages = new MessageParts();

    private Answer answer = Answer.NONE;
    private boolean hasPayload;
    /** Whether this part is a body that is sent to one endpoint. */
    private boolean isRecipient;
    /** The body before the running step. */
    private Object bodyBefore;
    /** An answer that a part of the running step has received; null if none has. */
    private Answer ofPart;

    private boolean wasEmptyInPart;

    /** The copy that an enrich sends or has sent; null outside of one. */
    private Exchange reading;

    /** The last error of a step after an answer; {@link #isOfAnswer} is whether it is about that answer. */
    private Throwable afterAnswer;

    private boolean isOfAnswer;

    private Part(Part whole, String path, boolean ofSplit, boolean mayEndEarly, Exchange exchange) {
        this.whole = whole;
        this.ofSplit = ofSplit;
        this.mayEndEarly = mayEndEarly;
        this.path = path;
        answer = whole == null ? Answer.NONE : whole.answer();
        hasPayload = whole == null || whole.hasPayload;
        attachTo(exchange);
    }

    /**
     * Begins an attempt with an exchange.
     *
     * @param edit of its only message; empty if it was not edited
     * @param mayEndEarly whether its route may end before the delivery
     */
    public static Part begin(Exchange exchange, String edit, boolean mayEndEarly) {
        OwnExchanges.mark(exchange);
        Part whole = new Part(null, edit, false, mayEndEarly, exchange);
        whole.observeQueues(exchange);
        return whole;
    }

    /** The part that an exchange belongs to; null if it has no message of the outbox, or runs after the end of the attempt. */
    public static Part of(Exchange exchange) {
        return exchange.getProperty(ExchangePropertyKey.ON_COMPLETION) == null
                ? exchange.getExchangeExtension().getSafeCopyProperty(PROPERTY, Part.class)
                : null;
    }

    /** Whether an exchange has a message of the outbox, and must not end before the delivery. */
    public static boolean mustDeliver(Exchange exchange) {
        Part part = of(exchange);
        return part != null && !part.mayEndEarly;
    }

    /** Whether an exchange delivers a message of the outbox, or a part of it. An enrich only reads. */
    public static boolean isSending(Exchange exchange) {
        return of(exchange) != null && !exchange.getExchangeId().equals(exchange.getProperty(READING));
    }

    /**
     * Begins a part of the attempt with a copy of an exchange.
     *
     * @throws FieldException if there are too many copies at once
     */
    static void beginPart(Exchange exchange, Exchange copy, MulticastProcessor step) {
        Part whole = of(exchange);
        if (whole == null) {
            return;
        }
        boolean inTurn = step.isStreaming() && !step.isParallelProcessing();
        boolean endsUnreported =
                step.isShareUnitOfWork() || copy.getProperty(ExchangePropertyKey.TRY_ROUTE_BLOCK, false, boolean.class);
        if (inTurn) {
            whole.endUnreported(); // the previous part has ended
        } else if (endsUnreported || !step.isStreaming()) {
            whole.requireFewParts();
        }
        boolean ofSplit = step instanceof Splitter;
        Part part = new Part(whole, whole.pathOfNext(ofSplit), ofSplit, whole.mayEndEarly, copy);
        part.isRecipient =
                step instanceof RecipientListProcessor && copy.getMessage().getBody() != null;
        copy.removeProperty(OutboxConstants.FAILURE);
        if (endsUnreported) {
            whole.expect(() -> part.ended(copy));
        } else {
            copy.getExchangeExtension().addOnCompletion(new AtEnd(ended -> part.ended(copy), false));
            part.observeQueues(copy);
        }
    }

    /**
     * Fails the message when an endpoint hands over the end of the exchange to a copy: it puts the copy into a queue, and the exchange
     * continues before the delivery.
     */
    private void observeQueues(Exchange exchange) {
        if (!mayEndEarly) {
            exchange.getExchangeExtension().addOnCompletion(new SynchronizationAdapter() {
                @Override
                public boolean allowHandover() {
                    queued(exchange);
                    return false;
                }
            });
        }
    }

    private synchronized void queued(Exchange exchange) {
        addHidden(Fault.of(
                exchange,
                new IllegalStateException(exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT)
                        + " continues before the delivery" + SafeSteps.ALLOWED)));
    }

    /** Sets the pattern with which the next send is done, which the exchange does not have yet; null for that of the exchange. */
    synchronized void sendNext(String pattern) {
        patternOfNext = pattern;
    }

    /** Fails the message if a send to an endpoint continues before the delivery. */
    synchronized void sending(Exchange exchange, String uri) {
        String pattern = patternOfNext == null ? exchange.getPattern().name() : patternOfNext;
        patternOfNext = null;
        String before = exchange.getProperty(ExchangePropertyKey.SLIP_ENDPOINT, String.class);
        if (followsAnswers && exchange.getMessage().getBody() == null) {
            receivedNothing(exchange, before);
        }
        if (!mayEndEarly) {
            MemoryQueues.sentTo(exchange, uri, pattern).ifPresent(sent -> addHidden(Fault.of(exchange, sent)));
        }
    }

    /**
     * Observes the end of the copy that enrich sends. Its aggregation strategy may drop the copy, with a mark for rollback or the fact
     * that the destination is unavailable. An exception is not observed: enrich passes it on or lets the strategy handle it.
     */
    static void observeEnrich(Exchange copy) {
        Part part = of(copy);
        if (part != null) {
            copy.setProperty(READING, copy.getExchangeId());
            part.reading(copy);
            copy.getExchangeExtension().addOnCompletion(new AtEnd(ended -> part.enriched(copy), false));
        }
    }

    private synchronized void reading(Exchange copy) {
        reading = copy;
    }

    /** The copy that an enrich has sent: a strategy that returns the message does not tell where. Null if it has sent none. */
    synchronized Exchange enriched() {
        Exchange copy = reading;
        reading = null;
        return copy;
    }

    private synchronized void enriched(Exchange copy) {
        if (copy.getException() == null && endedEarly(copy)) {
            addHidden(Fault.of(copy));
        }
    }

    /** Sets the message of a batch of the part of an exchange, if a split has just created the part. Otherwise does nothing. */
    public static void setMessage(Exchange exchange, BatchMessage message) {
        Part part = of(exchange);
        boolean begins = part != null && part.ofSplit && part.message == null;
        if (begins && exchange.getProperty(ExchangePropertyKey.SPLIT_INDEX) == null) {
            part.message = message;
            part.path = part.pathInBatch();
            part.hasPayload = message.getBody() != null || message.hasEmptyAnswer();
            part.answer = part.answer.empty(message.hasEmptyAnswer());
        }
    }

    /** Records whether the row of the message of an exchange has a payload. */
    public static void setPayload(Exchange exchange, Object payload) {
        Part part = of(exchange);
        if (part != null) {
            part.hasPayload = payload != null;
        }
    }

    /** Sets the messages of the attempt of an exchange that has several. */
    public static void setBatch(Exchange exchange, MessageBatch batch) {
        Part part = of(exchange);
        if (part != null) {
            part.batch = batch;
        }
    }

    /** The messages with which the attempt of an exchange began; null if it had one, or if the exchange is a part with one of them. */
    static MessageBatch batch(Exchange exchange) {
        for (Part part = of(exchange); part != null && part.message == null; part = part.whole) {
            if (part.batch != null) {
                return part.batch;
            }
        }
        return null;
    }

    /** Removes the part from a copy, so that the result of the copy has no effect on the message. */
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

    /**
     * Marks the message as dead, on request of the route. An error about an answer that an onException handles is a failure of the message
     * instead.
     *
     * @return whether the message is dead
     */
    public synchronized boolean dead(Exchange marked) {
        dead = Fault.of(marked, Outcome.DEAD);
        return dead.outcome() == Outcome.DEAD;
    }

    /** Whether the body of an exchange is an answer from outside, or was made of one, and not the payload of its message. */
    public static boolean hasAnswer(Exchange exchange) {
        Part part = of(exchange);
        return part != null && part.answer().isIn(exchange.getMessage().getBody());
    }

    /** Whether a missing body of an exchange stands for an answer without one: neither the message nor the route says that there is none. */
    public static boolean hasEmptyAnswer(Exchange exchange) {
        Part part = of(exchange);
        return part != null && part.answer().isInsteadOfBody();
    }

    /** Whether the message has a payload, as the row of the outbox has it. */
    boolean hasPayload() {
        return hasPayload;
    }

    synchronized Answer answer() {
        return answer;
    }

    synchronized void answer(Answer answer) {
        this.answer = answer;
    }

    /** Sets the state after an answer. One without a body takes the place of a payload, or of a body that the route has made. */
    synchronized void received(Answer newAnswer, boolean isEmpty) {
        boolean replaces = isEmpty && (hasPayload || !newAnswer.own().isEmpty());
        answer = newAnswer.empty(replaces || newAnswer.wasEmpty());
    }

    private synchronized void receivedNothing(Exchange exchange, String uri) {
        if (ReceivedAnswer.gaveAnswer(exchange, uri)) {
            received(answer.received(uri, null), true);
        }
    }

    /**
     * Records what the running step does with answers.
     *
     * @param follows whether it sends to several endpoints, each with the answer of the one before
     * @param stores whether it stores the answer in a variable
     * @return what to do after the step: it may run within another one
     */
    synchronized Runnable uses(boolean follows, boolean stores) {
        boolean outerFollows = followsAnswers;
        boolean outerStores = storesAnswer;
        followsAnswers = follows;
        storesAnswer = stores;
        return () -> uses(outerFollows, outerStores);
    }

    /** Whether the running step of an exchange stores its answer in a variable, which Camel cannot do with a stream. */
    public static boolean storesAnswer(Exchange exchange) {
        Part part = of(exchange);
        return part != null && part.storesAnswer;
    }

    /**
     * Records the error of a step, while the exchange has what the step has used.
     *
     * @param step null if unknown
     */
    synchronized void failedIn(NamedNode step, Throwable error, Exchange exchange) {
        if (answer.from() != null && !isAfterAnswer(error)) {
            afterAnswer = error;
            isOfAnswer = AnswerError.isOfContent(error)
                    && (answer.isIn(exchange.getMessage().getBody()) || AnswerError.isOfValue(error, step));
        }
    }

    private boolean isAfterAnswer(Throwable error) {
        return afterAnswer != null && Causes.of(error).anyMatch(cause -> cause == afterAnswer);
    }

    /**
     * The endpoint whose answer the error of an exchange is about; null if it is not about an answer. A recipient of a list or a slip is no step:
     * its error is handled before it is recorded.
     */
    synchronized String answeredBy(Throwable error, Exchange exchange) {
        if (exchange.getException() != null || Fault.isBeingHandled(exchange)) {
            failedIn(null, error, exchange);
        }
        return isOfAnswer && isAfterAnswer(error) ? answer.from() : null;
    }

    /**
     * Records that a step was interrupted. The route then ends, even if only one message of a batch has failed, and after enrich the
     * exchange does not show the reason.
     */
    synchronized void interruptedIn(Exchange step) {
        if (step.getExchangeExtension().isInterrupted()) {
            addHidden(Fault.of(step, Outcome.RETRY));
        }
    }

    /** Fails a message whose parts would take up the memory: the relay would end, and find the message first in line again. */
    private synchronized void requireFewParts() {
        if (parts >= MOST_PARTS) {
            throw new FieldException("The message has more than " + MOST_PARTS
                    + " parts, which a step would have in memory at once. Set streaming to true at the split");
        }
    }

    /** Has the number of the step, so that a part that skips its steps on a repeat does not give its ids to one of a later step. */
    private synchronized String pathOfNext(boolean ofSplit) {
        return path + "/" + steps + (ofSplit ? "." : "m") + parts++;
    }

    /** The path without the numbers of elements: the place of a message differs between batches. */
    private String pathInBatch() {
        String inRoute = ELEMENT.matcher(path).replaceAll("");
        return inRoute.equals("/1") ? "" : inRoute;
    }

    /** The place of the next send of a step: different for each send of this attempt that succeeds. Empty for the first one outside of parts. */
    synchronized String placeOfNext(String step) {
        int before = sends.getOrDefault(step, 0);
        return path + (before == 0 ? "" : "#" + before);
    }

    /** Records that a send has succeeded. */
    synchronized void sent(String step) {
        if (sends.isEmpty()) {
            sends = new HashMap<>();
        }
        sends.merge(step, 1, Integer::sum);
    }

    /**
     * Whether another part of the same attempt has compared the same id with the same repository. The id is stored when that part ends.
     *
     * @param with the repository and the id
     */
    static boolean isComparedAgain(Exchange exchange, Object with) {
        Part part = of(exchange);
        return part != null && part.ofMessage().comparesAgain(exchange.getExchangeId(), with);
    }

    private synchronized boolean comparesAgain(String exchange, Object with) {
        if (compared.isEmpty() || compared.size() == MOST_COMPARED) {
            compared = new HashMap<>();
        }
        return !compared.computeIfAbsent(with, first -> exchange).equals(exchange);
    }

    /** Records that an exchange ends without storing the id: a step that runs after its failure may compare it again. */
    static void storesNothing(Exchange ended) {
        Part message = of(ended).ofMessage();
        synchronized (message) {
            message.compared.values().remove(ended.getExchangeId());
        }
    }

    /** The part that is the attempt of one message, and not of its batch. */
    private Part ofMessage() {
        return whole != null && message == null ? whole.ofMessage() : this;
    }

    /** Records the start of a step that creates parts of the exchange. */
    synchronized void stepBegins(Exchange exchange) {
        parts = 0;
        steps++;
        bodyBefore = exchange.getMessage().getBody();
        ofPart = null;
        ofMessages = new MessageParts();
        stepRuns = true;
    }

    /** Records the end of the step. If it failed, the route may still handle its exception, and with it the faults of its parts. */
    void stepEnded(Exchange exchange) {
        attachTo(exchange); // the result of a part may have been copied to it, with the property of that part
        endUnreported();
        conclude(exchange);
    }

    private void endUnreported() {
        List<Runnable> ended;
        synchronized (this) {
            ended = unreported;
            unreported = List.of();
        }
        ended.forEach(Runnable::run);
    }

    private synchronized void conclude(Exchange exchange) {
        stepRuns = false;
        if (ofPart != null) {
            boolean isIn = ofPart.inBody() && exchange.getMessage().getBody() != bodyBefore;
            answer = isIn ? answer.received(ofPart.from(), bodyBefore) : answer.with(ofPart.from());
            ofPart = null;
        }
        answer = answer.empty(answer.wasEmpty() || wasEmptyInPart);
        wasEmptyInPart = false;
        bodyBefore = null;
        Throwable error = exchange.getException();
        if (error == null && thrown != null) {
            addHidden(thrown);
        } else if (error != null && thrown == null && ofMessages.areCauseOf(error, parts)) {
            exchange.setException(null); // the other messages of the batch continue
            exchange.getExchangeExtension().setRedeliveryExhausted(false);
        } else if (error != null && (thrown != null || ofMessages.thrown() != null)) {
            passedOn = Fault.decisive(thrown, ofMessages.thrown());
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

    private void ended(Exchange exchange) {
        Fault fault = fault(exchange);
        if (isRecipient && exchange.getMessage().getBody() == null && !answer().isRemoved()) {
            receivedNothing(exchange, exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class));
        }
        whole.answered(answer());
        if (message == null) {
            whole.failed(fault, exchange.getException() != null);
            return;
        }
        message.partEnded(exchange.getMessage(), fault, answer().isInsteadOfBody());
        synchronized (whole) {
            whole.ofMessages.ended(fault, exchange.getException());
        }
    }

    private synchronized void answered(Answer part) {
        wasEmptyInPart |= part.wasEmpty();
        if (part.from() != null && !part.empty(answer.wasEmpty()).equals(answer)) {
            ofPart = part;
        }
    }

    private synchronized void failed(Fault fault, boolean wasThrown) {
        ofMessages.otherEnded();
        if (fault == null) {
            return;
        }
        if (wasThrown && stepRuns) {
            thrown = Fault.decisive(thrown, fault);
        } else {
            addHidden(fault);
        }
    }

    private void addHidden(Fault fault) {
        hidden = Fault.decisive(hidden, fault);
    }

    /** Whether the exchange, which has ended, delivered this part, and it is not sent again after a failed message of its key. */
    boolean isFinished(Exchange ended) {
        for (Part outer = this; outer != null; outer = outer.whole) {
            if (outer.message != null && outer.message.isBehindFailed()) {
                return false;
            }
        }
        return fault(ended) == null;
    }

    /** The fault of this part, whose exchange has ended; null if it was delivered. */
    public synchronized Fault fault(Exchange exchange) {
        return Fault.decisive(own(exchange), hidden);
    }

    private Fault own(Exchange exchange) {
        if (dead != null) {
            return dead;
        }
        if (!endedEarly(exchange)) {
            return null;
        }
        Fault fault = Fault.of(exchange);
        return isPassedOn(exchange.getException())
                ? Fault.decisive(passedOn, Fault.isOfDestination(exchange) ? fault : null)
                : fault;
    }

    /**
     * Whether the exchange skipped the rest of its steps: it failed, or was interrupted, even if the error was handled; or its
     * onException handled the error and marked the destination as unavailable; or its error handler did not handle the error, and
     * Java code that the error handler called has removed it.
     */
    private static boolean endedEarly(Exchange exchange) {
        ExchangeExtension state = exchange.getExchangeExtension();
        return exchange.getException() != null
                || exchange.isRollbackOnly()
                || exchange.isRollbackOnlyLast()
                || state.isInterrupted()
                || state.isErrorHandlerHandledSet()
                        && (state.isErrorHandlerHandled()
                                ? Fault.isOfDestination(exchange)
                                : exchange.getProperty(ExchangePropertyKey.EXCEPTION_CAUGHT) == null);
    }

    private boolean isPassedOn(Throwable error) {
        return Causes.of(error).anyMatch(cause -> cause == passedOnAs);
    }
}
