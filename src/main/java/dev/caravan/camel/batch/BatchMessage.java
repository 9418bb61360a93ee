package dev.caravan.camel.batch;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.guard.Fault;
import dev.caravan.camel.guard.Part;
import dev.caravan.camel.headers.RowHeaders;
import dev.caravan.camel.step.SentBody;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.support.DefaultMessage;

/**
 * One message of a batch, with its headers and body. A split over the batch makes it the message of one part, whose failure is a failure
 * of this message only.
 */
public final class BatchMessage extends DefaultMessage {
    /** Passes the headers that describe a message, by name. */
    @FunctionalInterface
    public interface Description {
        void passTo(BiConsumer<String, Object> header);
    }

    private final Object key;
    private final Description description;
    private MessageBatch batch;
    private RowHeaders row = RowHeaders.none();
    private volatile Fault fault;
    private volatile boolean hasEmptyAnswer;

    /**
     * @param key messages of one key are delivered in order
     * @param description the headers that describe the message. They are put into a map only when a step uses the headers
     */
    public BatchMessage(CamelContext context, Object key, Description description) {
        super(context);
        this.key = key;
        this.description = description;
    }

    /**
     * Sets the headers of the row, except those with reserved names and those that are null.
     *
     * @param json the column, a JSON object
     * @return the reserved names that were left out
     */
    public List<String> setRowHeaders(String json) throws IOException {
        row = RowHeaders.of(json);
        return row.reserved();
    }

    /** Without this, a copy of a message whose headers no step has used would have none. */
    @Override
    protected boolean isPopulateHeadersSupported() {
        return true;
    }

    @Override
    protected void populateInitialHeaders(Map<String, Object> map) {
        row.passTo(map::put);
        description.passTo(map::put);
    }

    /** Calls a function with each header, without creating the map of headers if no step has used it. */
    public void forEachHeader(BiConsumer<String, Object> use) {
        if (hasPopulatedHeaders()) {
            getHeaders().forEach(use);
        } else {
            row.passTo(use);
            description.passTo(use);
        }
    }

    /** Removes headers that only a step can have set, without creating the map of headers if no step has used it. */
    public void removeSet(Collection<String> names) {
        if (hasPopulatedHeaders()) {
            names.forEach(this::removeHeader);
        }
    }

    @Override
    public void setExchange(Exchange exchange) {
        super.setExchange(exchange);
        if (exchange != null) {
            row.attachTo(exchange);
            Part.setMessage(exchange, this);
        }
    }

    /** A copy is not a message of the batch. */
    @Override
    public DefaultMessage newInstance() {
        return new DefaultMessage(getCamelContext());
    }

    /**
     * Records the end of the part of a split that contains it.
     *
     * @param result the message after the steps of the part
     * @param partFault why the part failed; null if it did not
     * @param hasEmptyAnswer whether a missing body stands for an answer without one
     */
    public void partEnded(Message result, Fault partFault, boolean hasEmptyAnswer) {
        this.hasEmptyAnswer = hasEmptyAnswer;
        if (partFault != null) {
            fail(partFault);
        } else if (result != this) {
            copyFrom(result); // some steps create another message
        }
    }

    /** Whether a missing body stands for an answer without one. */
    public boolean hasEmptyAnswer() {
        return hasEmptyAnswer;
    }

    /** Records the batch with which an exchange begins. */
    public void joins(MessageBatch newBatch) {
        batch = newBatch;
    }

    /** Whether an earlier message of its key in the batch has failed. This one is then sent again after it. */
    public boolean isBehindFailed() {
        return batch != null
                && batch.messages().stream()
                        .takeWhile(earlier -> earlier != this)
                        .anyMatch(earlier -> earlier.fault != null && earlier.key.equals(key));
    }

    /** The body as text. */
    String converted(Object body) {
        return body == null ? "" : SentBody.text(getCamelContext(), body);
    }

    public void fail(Fault newFault) {
        fault = Fault.decisive(fault, newFault);
    }

    /** Why it failed on its own; null if it did not. */
    public Fault fault() {
        return fault;
    }
}
