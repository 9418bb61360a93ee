package dev.caravan.camel.outbox;

import java.time.Duration;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriParams;

/** When a failed message is retried, and when it becomes a dead letter. */
@UriParams
public class RetryOptions {
    @UriParam(
            label = "consumer",
            defaultValue = "1s",
            javaType = "java.time.Duration",
            description = "The wait before the second attempt; four times as long after each further failure.")
    private long backoff = 1_000;

    @UriParam(
            label = "consumer",
            defaultValue = "1d",
            javaType = "java.time.Duration",
            description = "The longest wait between two attempts of a message.")
    private long maxBackoff = Duration.ofDays(1).toMillis();

    @UriParam(
            label = "consumer",
            defaultValue = "10",
            description =
                    "Number of failed attempts after which a message becomes a dead letter (1 to 1000). Attempts while"
                            + " the destination is unavailable do not count. With the default backoff, ten attempts"
                            + " take about a day.")
    private int maxAttempts = 10;

    @UriParam(
            label = "consumer",
            defaultValue = "7d",
            javaType = "java.time.Duration",
            description = "A message that fails again this long after its first failure becomes a dead letter.")
    private long maxAge = Duration.ofDays(7).toMillis();

    @UriParam(
            label = "consumer",
            defaultValue = "continue",
            enums = "continue,block",
            description =
                    "In order key: what happens to the later messages of a key after a dead letter. They follow (continue),"
                            + " or wait until a person retries or discards the dead letter (block).")
    private String onDead = "continue";

    public long getBackoff() {
        return backoff;
    }

    public void setBackoff(long backoff) {
        this.backoff = backoff;
    }

    public long getMaxBackoff() {
        return maxBackoff;
    }

    public void setMaxBackoff(long maxBackoff) {
        this.maxBackoff = maxBackoff;
    }

    public int getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(int maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public long getMaxAge() {
        return maxAge;
    }

    public void setMaxAge(long maxAge) {
        this.maxAge = maxAge;
    }

    public String getOnDead() {
        return onDead;
    }

    public void setOnDead(String onDead) {
        this.onDead = onDead;
    }
}
