package dev.caravan.delivery;

import java.time.Duration;

/**
 * Whether a destination can be sent to. While it is away one message at a time probes it, after 1 s and then after twice as
 * long each time up to 30 s, or when the destination said to come back. It is also taken to be away when many attempts in a
 * row fail, whatever the reason: otherwise a broken destination would turn a backlog into dead letters.
 */
public final class Availability {
    private static final Duration FIRST_PROBE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(30);
    /** So many failures of messages in a row, without a success, are the destination's. */
    static final int SUSPICIOUS_FAILURES = 20;

    /** Volatile: asked from other threads too. */
    private volatile boolean away;

    private long awaySince;
    private long nextProbeAt;
    private int probes;
    private int failuresInRow;
    /** How many attempts that started before the first failure in the row were on their way then: they may still succeed. */
    private long earlierOnTheirWay;

    private long recoveries;

    /** Whether one more message may start. */
    boolean mayStart(long now, int started) {
        return !away || started == 0 && nextProbeAt - now <= 0;
    }

    /** The destination took a message. */
    void answered() {
        failuresInRow = 0;
        if (away) {
            away = false;
            probes = 0;
            recoveries++;
        }
    }

    /** The destination cannot be reached or wants to be left alone. */
    void unavailable(long now, Duration retryAfter) {
        waitForProbe(now, retryAfter);
    }

    /**
     * An attempt failed for a reason that may be the message's.
     *
     * @param earlier how many attempts that started before it are still on their way. Poison may fail at once, while the answers
     *     to those before it are waited for: 20 such failures say nothing about the destination
     * @return whether to count it against the message
     */
    boolean failed(long now, long earlier) {
        if (failuresInRow++ == 0) {
            earlierOnTheirWay = earlier;
        }
        if (away || failuresInRow >= SUSPICIOUS_FAILURES + earlierOnTheirWay) {
            waitForProbe(now, Duration.ZERO);
            return false;
        }
        return true;
    }

    /** Failures of messages that were on their way together are one failed probe. */
    private void waitForProbe(long now, Duration retryAfter) {
        if (!away || nextProbeAt - now <= 0) {
            awaySince = away ? awaySince : now;
            away = true;
            Duration doubled = FIRST_PROBE.multipliedBy(1L << Math.min(probes++, 10));
            nextProbeAt = now + Math.min(doubled.toNanos(), LONGEST_PROBE.toNanos());
        }
        if (now + retryAfter.toNanos() - nextProbeAt > 0) {
            nextProbeAt = now + retryAfter.toNanos();
        }
    }

    /** How long nothing may start, in nanoseconds; 0 if something may. */
    public long untilNextProbe(long now) {
        return away ? Math.max(0, nextProbeAt - now) : 0;
    }

    public boolean isAway() {
        return away;
    }

    /** Since when it is away; without meaning while it is not. */
    long awaySince() {
        return awaySince;
    }

    /** How often the destination has come back. */
    long recoveries() {
        return recoveries;
    }
}
