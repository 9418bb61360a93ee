package dev.caravan.camel.outbox;

import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriParams;

/** The message that {@code outbox:} as a destination appends. */
@UriParams
public class AppendOptions {
    @UriParam(label = "producer", description = "Type of the appended message. Required.")
    private String type;

    @UriParam(
            label = "producer",
            description = "Aggregate type of the appended message. Default: that of the message in the route.")
    private String aggregateType;

    @UriParam(
            label = "producer",
            description = "Aggregate id of the appended message. Default: that of the message in the route.")
    private String aggregateId;

    @UriParam(
            label = "producer",
            description = "Whether the body is appended as bytes, for example Avro or Protobuf, and not as JSON.")
    private boolean binary;

    public String getType() {
        return type;
    }

    public void setType(String type) {
        this.type = type;
    }

    public String getAggregateType() {
        return aggregateType;
    }

    public void setAggregateType(String aggregateType) {
        this.aggregateType = aggregateType;
    }

    public String getAggregateId() {
        return aggregateId;
    }

    public void setAggregateId(String aggregateId) {
        this.aggregateId = aggregateId;
    }

    public boolean isBinary() {
        return binary;
    }

    public void setBinary(boolean binary) {
        this.binary = binary;
    }
}
