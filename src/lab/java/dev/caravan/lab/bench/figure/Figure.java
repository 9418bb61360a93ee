package dev.caravan.lab.bench.figure;

/**
 * A measured quantity.
 *
 * @param name its name in JSON, for example {@code p99At500}
 * @param unit for example {@code ms}
 */
public record Figure(String name, String unit) {
    /** Messages per second between the first and the last record at the broker. */
    public static final Figure RATE = new Figure("rate", "messages/s");
    /** The rate without the first fifth of the messages. */
    public static final Figure WARM_RATE = new Figure("warmRate", "messages/s");
    /** Write-ahead log of the database server per message. The contender is the only writer. */
    public static final Figure WAL = new Figure("walPerMessage", "bytes");
    /** Peak memory of the relay process, heap included. */
    public static final Figure MEMORY = new Figure("peakMemory", "MB");
    /** Processor time of the relay per delivery. */
    public static final Figure CPU = new Figure("cpuPerDelivery", "µs");
    /** The same without the first fifth of the messages, and without the start. */
    public static final Figure WARM_CPU = new Figure("warmCpuPerDelivery", "µs");

    /** A quantile of the time from the commit to the append in the broker. */
    public static Figure latency(int percent, int rate) {
        return new Figure("p" + percent + "At" + rate, "ms");
    }

    /** A rate relative to another rate of the same round. */
    public static Figure ratio(String name) {
        return new Figure(name, "");
    }

    public static Figure seconds(String name) {
        return new Figure(name, "s");
    }
}
