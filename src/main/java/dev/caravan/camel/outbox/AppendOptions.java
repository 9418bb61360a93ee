package dev.caravan.camel.outbox;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
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

    /** The parts of the key that are empty texts. A part that is absent is that of the message in the route. */
    List<String> problems() {
        return Stream.of(problem("aggregateType", aggregateType), problem("aggregateId", aggregateId))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<String> problem(String option, String value) {
        return value != null && value.isBlank()
                ? Optional.of("the option " + option + " is empty: set it, or remove it to use that of the message")
                : Optional.empty();
    }

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
