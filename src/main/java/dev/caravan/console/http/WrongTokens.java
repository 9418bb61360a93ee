package dev.caravan.console.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Limits the rate of wrong tokens per address. Stores the 1,000 addresses that sent one most recently. */
final class WrongTokens {
    static final int PER_SECOND = 5;
    static final int ADDRESSES = 1_000;

    private final LongSupplier nanoTime;
    private final Map<String, TokenBucket> byAddress = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, TokenBucket> eldest) {
            return size() > ADDRESSES;
        }
    };

    WrongTokens(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Counts a wrong token; returns false when the address exceeds the limit. */
    synchronized boolean take(String address) {
        return byAddress
                .computeIfAbsent(address, any -> new TokenBucket(PER_SECOND, PER_SECOND, nanoTime))
                .take();
    }

    synchronized int addresses() {
        return byAddress.size();
    }
}
