package dev.caravan.camel.outbox;

import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriParams;

/** Whether and how several messages are delivered with one exchange. */
@UriParams
public class BatchOptions {
    @UriParam(
            label = "consumer",
            description =
                    "Deliver several messages with one exchange, whose body is a list of messages. If the exchange fails, they are"
                            + " sent again in smaller batches, until the message that cannot be delivered is alone.")
    private boolean batching;

    @UriParam(
            label = "consumer",
            defaultValue = "500",
            description = "With batching: maximum number of messages of a batch (1 to 10000).")
    private int batchMaxMessages = 500;

    @UriParam(
            label = "consumer",
            defaultValue = "1048576",
            description =
                    "With batching: approximate maximum size of a batch in bytes (1024 to 1073741824); a single larger"
                            + " message is still sent.")
    private int batchMaxBytes = 1 << 20;

    @UriParam(
            label = "consumer",
            defaultValue = "0ms",
            javaType = "java.time.Duration",
            description =
                    "With batching: for how long a message waits for others, if the batch would not be full (at most 1h)."
                            + " Without a wait, batches grow only while earlier ones are in flight.")
    private long batchMaxWait;

    public boolean isBatching() {
        return batching;
    }

    public void setBatching(boolean batching) {
        this.batching = batching;
    }

    public int getBatchMaxMessages() {
        return batchMaxMessages;
    }

    public void setBatchMaxMessages(int batchMaxMessages) {
        this.batchMaxMessages = batchMaxMessages;
    }

    public int getBatchMaxBytes() {
        return batchMaxBytes;
    }

    public void setBatchMaxBytes(int batchMaxBytes) {
        this.batchMaxBytes = batchMaxBytes;
    }

    public long getBatchMaxWait() {
        return batchMaxWait;
    }

    public void setBatchMaxWait(long batchMaxWait) {
        this.batchMaxWait = batchMaxWait;
    }
}
