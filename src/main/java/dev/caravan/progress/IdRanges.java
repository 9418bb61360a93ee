package dev.caravan.progress;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A set of message ids, stored as ranges that are neither adjacent nor overlapping. Adding or removing an id takes time logarithmic
 * in the number of ranges. Not thread-safe.
 */
public final class IdRanges {
    private final NavigableMap<Long, Long> lastByFirst = new TreeMap<>();

    /** An empty set. */
    public IdRanges() {}

    /** A copy of another set. */
    public IdRanges(IdRanges other) {
        lastByFirst.putAll(other.lastByFirst);
    }

    /** The set of the ids from first to last, both included. */
    public static IdRanges of(long first, long last) {
        IdRanges ranges = new IdRanges();
        ranges.add(first, last);
        return ranges;
    }

    /**
     * Reads the text of a Postgres {@code int8multirange}, for example <code>{[5,6),[9,12)}</code>.
     *
     * @throws IllegalArgumentException if the text is not in the canonical form that Postgres prints
     */
    public static IdRanges parse(String multirange) {
        IdRanges ranges = new IdRanges();
        String inner = multirange.substring(1, multirange.length() - 1);
        if (!inner.isEmpty()) {
            for (String range : inner.substring(1, inner.length() - 1).split("\\),\\[")) {
                int comma = range.indexOf(',');
                ranges.add(Long.parseLong(range.substring(0, comma)), Long.parseLong(range.substring(comma + 1)) - 1);
            }
        }
        return ranges;
    }

    /** Adds one id; no effect if the set contains it. */
    public void add(long id) {
        add(id, id);
    }

    /** Adds the ids from first to last, both included; an empty range (last before first) adds nothing. */
    public void add(long first, long last) {
        if (last < first) {
            return;
        }
        long from = first;
        long to = last;
        var before = lastByFirst.floorEntry(first);
        if (before != null && before.getValue() >= first - 1) {
            from = before.getKey();
            to = Math.max(to, before.getValue());
        }
        var next = lastByFirst.higherEntry(from);
        while (next != null && next.getKey() <= to + 1) {
            to = Math.max(to, next.getValue());
            lastByFirst.remove(next.getKey());
            next = lastByFirst.higherEntry(from);
        }
        lastByFirst.put(from, to);
    }

    /** Adds every id of another set. */
    public void addAll(IdRanges other) {
        other.lastByFirst.forEach(this::add);
    }

    /**
     * Removes one id.
     *
     * @return whether the set contained it
     */
    public boolean remove(long id) {
        var range = lastByFirst.floorEntry(id);
        if (range == null || range.getValue() < id) {
            return false;
        }
        if (range.getKey() == id) {
            lastByFirst.remove(id);
        } else {
            lastByFirst.put(range.getKey(), id - 1);
        }
        if (range.getValue() > id) {
            lastByFirst.put(id + 1, range.getValue());
        }
        return true;
    }

    /** Removes every id of another set; the ranges of that set that lie outside of this one cost nothing. */
    public void removeAll(IdRanges other) {
        if (isEmpty()) {
            return;
        }
        Long first = other.lastByFirst.floorKey(lowest());
        other.lastByFirst
                .subMap(first == null ? lowest() : first, true, highest(), true)
                .forEach(this::remove);
    }

    private void remove(long first, long last) {
        var range = lastByFirst.floorEntry(last);
        while (range != null && range.getValue() >= first) {
            lastByFirst.remove(range.getKey());
            if (range.getKey() < first) {
                lastByFirst.put(range.getKey(), first - 1);
            }
            if (range.getValue() > last) {
                lastByFirst.put(last + 1, range.getValue());
            }
            range = lastByFirst.lowerEntry(range.getKey());
        }
    }

    /** The ids of this set at or below a limit, as a new set. */
    public IdRanges upTo(long limit) {
        IdRanges part = new IdRanges();
        for (Map.Entry<Long, Long> range : lastByFirst.headMap(limit, true).entrySet()) {
            part.lastByFirst.put(range.getKey(), Math.min(range.getValue(), limit));
        }
        return part;
    }

    /** The lowest ranges of this set, as a new set. */
    IdRanges firstRanges(int count) {
        IdRanges part = new IdRanges();
        lastByFirst.entrySet().stream()
                .limit(count)
                .forEach(range -> part.lastByFirst.put(range.getKey(), range.getValue()));
        return part;
    }

    public boolean contains(long id) {
        var range = lastByFirst.floorEntry(id);
        return range != null && range.getValue() >= id;
    }

    public boolean isEmpty() {
        return lastByFirst.isEmpty();
    }

    /** The lowest id, or {@link Long#MAX_VALUE} if the set is empty. */
    public long lowest() {
        return lastByFirst.isEmpty() ? Long.MAX_VALUE : lastByFirst.firstKey();
    }

    /** The highest id, or {@link Long#MIN_VALUE} if the set is empty. */
    public long highest() {
        return lastByFirst.isEmpty() ? Long.MIN_VALUE : lastByFirst.lastEntry().getValue();
    }

    /** Number of ranges. */
    int size() {
        return lastByFirst.size();
    }

    /** Number of ids. */
    public long count() {
        long count = 0;
        for (Map.Entry<Long, Long> range : lastByFirst.entrySet()) {
            count += range.getValue() - range.getKey() + 1;
        }
        return count;
    }

    /** The text of this set as a Postgres {@code int8multirange}. */
    public String toMultirange() {
        StringBuilder text = new StringBuilder("{");
        lastByFirst.forEach((first, last) -> text.append(text.length() > 1 ? "," : "")
                .append('[')
                .append(first.longValue())
                .append(',')
                .append(last + 1)
                .append(')'));
        return text.append('}').toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IdRanges ranges && lastByFirst.equals(ranges.lastByFirst);
    }

    @Override
    public int hashCode() {
        return lastByFirst.hashCode();
    }

    @Override
    public String toString() {
        return toMultirange();
    }
}
