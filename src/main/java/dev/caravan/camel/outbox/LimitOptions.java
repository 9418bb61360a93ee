package dev.caravan.camel.outbox;

import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriParams;

/** How many messages of a lane are in memory and in flight, how fast they start, and how often progress is saved. */
@UriParams
public class LimitOptions {
    @UriParam(
            label = "consumer",
            defaultValue = "10",
            description =
                    "Maximum number of messages, or with batching of batches, in flight (1 to 1000). Not used with"
                            + " pipelined.")
    private int concurrency = 10;

    @UriParam(
            label = "consumer",
            description =
                    "The maximum number of attempts in a period, for example 50/s, 100/min or 500/h, over all lanes and"
                            + " relays of the subscription. Default: no limit.")
    private String rate;

    @UriParam(
            label = "consumer",
            description =
                    "With rate: the number of attempts that may start at once after a pause (1 to 1000000, at least lanes)."
                            + " Default: what rate allows in a tenth of a second, at least one for each lane, or with batching a full"
                            + " batch for each lane.")
    private Integer burst;

    @UriParam(
            label = "consumer",
            defaultValue = "4194304",
            description =
                    "Approximate maximum size of one read in bytes (1024 to 1073741824); a single larger message is still"
                            + " read. At most four times as many bytes are kept in memory.")
    private int batchBytes = 4 << 20;

    @UriParam(
            label = "consumer",
            defaultValue = "16777216",
            description =
                    "Maximum size of the headers and the payload of one message in bytes (1024 to 1073741824). The content of a larger"
                            + " message is not read: it becomes a dead letter, so that it cannot use up the memory of the relay.")
    private int maxMessageBytes = 16 << 20;

    @UriParam(
            label = "consumer,advanced",
            defaultValue = "10000",
            description = "Maximum number of messages taken and not finished (1 to 1000000).")
    private int window = 10_000;

    @UriParam(
            label = "consumer",
            defaultValue = "100ms",
            javaType = "java.time.Duration",
            description =
                    "The longest time between two saves of progress while messages are delivered. After a crash, messages"
                            + " in flight or finished since the last save are delivered again.")
    private long saveInterval = 100;

    public int getConcurrency() {
        return concurrency;
    }

    public void setConcurrency(int concurrency) {
        this.concurrency = concurrency;
    }

    public String getRate() {
        return rate;
    }

    public void setRate(String rate) {
        this.rate = rate;
    }

    public Integer getBurst() {
        return burst;
    }

    public void setBurst(Integer burst) {
        this.burst = burst;
    }

    public int getBatchBytes() {
        return batchBytes;
    }

    public void setBatchBytes(int batchBytes) {
        this.batchBytes = batchBytes;
    }

    public int getMaxMessageBytes() {
        return maxMessageBytes;
    }

    public void setMaxMessageBytes(int maxMessageBytes) {
        this.maxMessageBytes = maxMessageBytes;
    }

    public int getWindow() {
        return window;
    }

    public void setWindow(int window) {
        this.window = window;
    }

    public long getSaveInterval() {
        return saveInterval;
    }

    public void setSaveInterval(long saveInterval) {
        this.saveInterval = saveInterval;
    }
}
