package dev.caravan.console.http;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A token bucket: limits the rate of requests and allows bursts. Thread-safe. */
final class TokenBucket {
    private final double perNano;
    private final double burst;
    private final LongSupplier nanoTime;
    private double left;
    private long filledAt;

    TokenBucket(double perSecond, double burst, LongSupplier nanoTime) {
        this.perNano = perSecond / TimeUnit.SECONDS.toNanos(1);
        this.burst = burst;
        this.nanoTime = nanoTime;
        this.left = burst;
        this.filledAt = nanoTime.getAsLong();
    }

    /** Takes one token; returns false when the bucket is empty. */
    synchronized boolean take() {
        if (isEmpty()) {
            return false;
        }
        left -= 1;
        return true;
    }

    synchronized boolean isEmpty() {
        long now = nanoTime.getAsLong();
        left = Math.min(burst, left + (now - filledAt) * perNano);
        filledAt = now;
        return left < 1;
    }
}
