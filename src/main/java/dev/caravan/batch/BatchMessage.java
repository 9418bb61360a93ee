package dev.caravan.batch;

import dev.caravan.headers.RowHeaders;
import dev.caravan.route.Fault;
import dev.caravan.route.Part;
import dev.caravan.route.PartMessage;
import java.io.IOException;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.support.DefaultMessage;

/** One message of a batch, with its headers and body. A split over the batch makes it the message of one part. */
public final class BatchMessage extends DefaultMessage implements PartMessage {
    private RowHeaders row;
    private volatile Fault fault;

    public BatchMessage(CamelContext context) {
        super(context);
    }

    /**
     * Sets the headers of the row, except those with reserved names.
     *
     * @param json the column, a JSON object
     * @return the reserved names that were left out
     */
    public List<String> setRowHeaders(String json) throws IOException {
        row = RowHeaders.of(json);
        return row.set(this);
    }

    @Override
    public void setExchange(Exchange exchange) {
        super.setExchange(exchange);
        if (exchange != null) {
            if (row != null) {
                row.attachTo(exchange);
            }
            Part.carries(exchange, this);
        }
    }

    /** A copy is not a message of the batch. */
    @Override
    public DefaultMessage newInstance() {
        return new DefaultMessage(getCamelContext());
    }

    @Override
    public void partEnded(Message result, Fault partFault) {
        if (partFault != null) {
            fail(partFault);
        } else if (result != this) {
            copyFrom(result); // some steps create another message
        }
    }

    /** The body as text. */
    String converted(Object body) {
        return body == null ? "" : getCamelContext().getTypeConverter().convertTo(String.class, body);
    }

    void fail(Fault newFault) {
        fault = Fault.worse(fault, newFault);
    }

    /** Why it failed on its own; null if it did not. */
    public Fault fault() {
        return fault;
    }
}
