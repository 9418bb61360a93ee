package dev.caravan.engine.progress;

import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * A set of message ids, stored as ranges that are neither adjacent nor overlapping. Adding or removing an id takes time logarithmic
 * in the number of ranges. Not thread-safe.
 */
public final class IdRanges {
    private final NavigableSet<Range> ranges = new TreeSet<>();

    /** The ids from first to last, both included. Its bounds may change while it is in the set, but not the order of the ranges. */
    private static final class Range implements Comparable<Range> {
        private long first;
        private long last;

        private Range(long first, long last) {
            this.first = first;
            this.last = last;
        }

        @Override
        public int compareTo(Range other) {
            return Long.compare(first, other.first);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Range range && first == range.first && last == range.last;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(first) + 31 * Long.hashCode(last);
        }
    }

    /** An empty set. */
    public IdRanges() {}

    /** A copy of another set. */
    public IdRanges(IdRanges other) {
        other.ranges.forEach(range -> ranges.add(new Range(range.first, range.last)));
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
        if (!ranges.isEmpty() && ranges.last().last == id - 1) { // most ids follow the one before
            ranges.last().last = id;
        } else {
            add(id, id);
        }
    }

    /** Adds the ids from first to last, both included; an empty range (last before first) adds nothing. */
    public void add(long first, long last) {
        if (last < first) {
            return;
        }
        Range range = new Range(first, last);
        Range before = ranges.floor(range);
        if (before != null && before.last >= first - 1) {
            before.last = Math.max(before.last, last);
            range = before;
        } else {
            ranges.add(range);
        }
        Range next = ranges.higher(range);
        while (next != null && next.first <= range.last + 1) {
            range.last = Math.max(range.last, next.last);
            ranges.remove(next);
            next = ranges.higher(range);
        }
    }

    /** Adds every id of another set. */
    public void addAll(IdRanges other) {
        other.ranges.forEach(range -> add(range.first, range.last));
    }

    /**
     * Removes one id.
     *
     * @return whether the set contained it
     */
    public boolean remove(long id) {
        return remove(id, id);
    }

    /**
     * Removes the ids from first to last, both included, if the set contains all of them.
     *
     * @return whether it contained all of them; if not, none is removed
     */
    public boolean remove(long first, long last) {
        Range range = rangeAt(first);
        if (range == null || range.last < last) {
            return false;
        }
        remove(first, last, range);
        return true;
    }

    /** The range with the highest first id up to this one, or null. */
    private Range rangeAt(long id) {
        return ranges.floor(new Range(id, id));
    }

    /** Removes the ids from first to last from a range that contains at least one of them. */
    private void remove(long first, long last, Range range) {
        if (range.last > last && range.first < first) {
            ranges.add(new Range(last + 1, range.last));
            range.last = first - 1;
        } else if (range.last > last) {
            range.first = last + 1;
        } else if (range.first < first) {
            range.last = first - 1;
        } else {
            ranges.remove(range);
        }
    }

    /** Removes every id of another set; takes no time for the ranges of that set that are outside of this one. */
    public void removeAll(IdRanges other) {
        if (isEmpty()) {
            return;
        }
        Range first = other.rangeAt(lowest());
        Range from = first == null ? new Range(lowest(), lowest()) : first;
        Range to = new Range(highest(), highest());
        other.ranges.subSet(from, true, to, true).forEach(range -> removeAny(range.first, range.last));
    }

    private void removeAny(long first, long last) {
        Range range = rangeAt(last);
        while (range != null && range.last >= first) {
            Range before = ranges.lower(range);
            remove(first, last, range);
            range = before;
        }
    }

    /** The ids that two sets have in common, as a new set. */
    public static IdRanges common(IdRanges ids, IdRanges others) {
        IdRanges different = new IdRanges(ids);
        different.removeAll(others);
        IdRanges common = new IdRanges(ids);
        common.removeAll(different);
        return common;
    }

    /** The ids of this set at or below a limit, as a new set. */
    public IdRanges upTo(long limit) {
        IdRanges part = new IdRanges();
        for (Range range : ranges.headSet(new Range(limit, limit), true)) {
            part.ranges.add(new Range(range.first, Math.min(range.last, limit)));
        }
        return part;
    }

    /** The lowest ranges of this set, as a new set. */
    IdRanges firstRanges(int count) {
        IdRanges part = new IdRanges();
        ranges.stream().limit(count).forEach(range -> part.ranges.add(new Range(range.first, range.last)));
        return part;
    }

    public boolean contains(long id) {
        Range range = rangeAt(id);
        return range != null && range.last >= id;
    }

    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** The lowest id, or {@link Long#MAX_VALUE} if the set is empty. */
    public long lowest() {
        return ranges.isEmpty() ? Long.MAX_VALUE : ranges.first().first;
    }

    /** The highest id, or {@link Long#MIN_VALUE} if the set is empty. */
    public long highest() {
        return ranges.isEmpty() ? Long.MIN_VALUE : ranges.last().last;
    }

    /** Number of ranges. */
    int size() {
        return ranges.size();
    }

    /** Number of ids. */
    public long count() {
        long count = 0;
        for (Range range : ranges) {
            count += range.last - range.first + 1;
        }
        return count;
    }

    /** The text of this set as a Postgres {@code int8multirange}. */
    public String toMultirange() {
        StringBuilder text = new StringBuilder("{");
        ranges.forEach(range -> text.append(text.length() > 1 ? "," : "")
                .append('[')
                .append(range.first)
                .append(',')
                .append(range.last + 1)
                .append(')'));
        return text.append('}').toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IdRanges set && List.copyOf(ranges).equals(List.copyOf(set.ranges));
    }

    @Override
    public int hashCode() {
        return ranges.hashCode();
    }

    @Override
    public String toString() {
        return toMultirange();
    }
}
