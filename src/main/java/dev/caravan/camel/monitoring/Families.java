package dev.caravan.camel.monitoring;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Receives the values of each metric, as they are now. They are built when they are requested, so a lane or subscription that no longer exists has
 * none, and one that nobody reads costs nothing. Names are those of Prometheus without the prefix {@code caravan_}.
 */
interface Families {
    /** What provides values. */
    interface Source {
        void collect(Families families);
    }

    /** Names and values in turn. */
    record Tags(List<String> pairs) {
        static final Tags NONE = new Tags(List.of());

        static Tags of(String... pairs) {
            return new Tags(List.of(pairs));
        }

        Tags and(String name, String value) {
            String[] more = pairs.toArray(new String[pairs.size() + 2]);
            more[pairs.size()] = name;
            more[pairs.size() + 1] = value;
            return new Tags(Arrays.asList(more));
        }

        String[] toArray() {
            return pairs.toArray(String[]::new);
        }
    }

    /** A value with its tags. */
    record Value(Tags tags, double value) {}

    /** A number of values and their sum, with their tags. */
    record Summed(Tags tags, long count, double sum) {}

    /** The values up to each bound, without those up to the bound before, with their tags. */
    record Counted(Tags tags, double[] bounds, long[] counts, double sum) {}

    static double flag(boolean value) {
        return value ? 1 : 0;
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    void gauge(String name, String description, Stream<Value> values);

    default void gauge(String name, String description, double value) {
        gauge(name, description, Stream.of(new Value(Tags.NONE, value)));
    }

    /** @param name without {@code _total} */
    void counter(String name, String description, Stream<Value> values);

    void summary(String name, String description, Stream<Summed> values);

    void histogram(String name, String description, Stream<Counted> values);
}
