package dev.caravan.lab.bench;

/**
 * A measured quantity.
 *
 * @param name its name in JSON, for example {@code p99At500}
 * @param unit for example {@code ms}
 */
record Figure(String name, String unit) {
    /** Between the first and the last record at the broker. */
    static final Figure RATE = new Figure("rate", "messages/s");
    /** The same without the first fifth of the messages. */
    static final Figure WARM_RATE = new Figure("warmRate", "messages/s");
    /** Write-ahead log of the database server per message. The contender is the only writer. */
    static final Figure WAL = new Figure("walPerMessage", "bytes");
    /** Peak memory of the relay process, heap included. */
    static final Figure MEMORY = new Figure("peakMemory", "MB");
    /** Processor time of the relay per delivery. */
    static final Figure CPU = new Figure("cpuPerDelivery", "µs");

    /** A quantile of the time from the commit to the append in the broker. */
    static Figure latency(int percent, int rate) {
        return new Figure("p" + percent + "At" + rate, "ms");
    }

    /** A rate relative to another rate of the same round. */
    static Figure ratio(String name) {
        return new Figure(name, "");
    }

    static Figure seconds(String name) {
        return new Figure(name, "s");
    }
}
