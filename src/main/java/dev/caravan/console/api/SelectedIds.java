package dev.caravan.console.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.console.http.Body;
import dev.caravan.console.http.HttpProblem;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.stream.StreamSupport;

/** Messages that a person selected one by one in a list: their ids by subscription. */
record SelectedIds(Map<String, long[]> bySubscription) {
    /** The field of a filter that names them. */
    static final String FIELD = "ids";

    private static final int MAX_IDS = 1_000;
    /** Number of messages loaded at a time. Small, because they are loaded with their payloads. */
    private static final int CHUNK = 25;

    /** Loads messages by id, without those that no longer exist. */
    @FunctionalInterface
    interface Loader {
        Collection<?> load(String subscription, long[] ids) throws SQLException;
    }

    /** The ids in a filter; empty when it has none. */
    static Optional<SelectedIds> of(Body filter) {
        Optional<Body> given = filter.object(FIELD);
        if (given.isPresent() && filter.fields().size() > 1) {
            throw HttpProblem.wrong("filter.ids cannot be combined with other filters. Nothing was changed.");
        }
        return given.map(ids -> parse(ids.fields()));
    }

    private static SelectedIds parse(JsonNode fields) {
        Map<String, long[]> ids = new TreeMap<>();
        fields.properties().forEach(field -> ids.put(field.getKey(), numbers(field.getValue())));
        if (ids.values().stream().mapToInt(each -> each.length).sum() > MAX_IDS) {
            throw HttpProblem.wrong("filter.ids must have at most 1,000 ids. Nothing was changed.");
        }
        return new SelectedIds(ids);
    }

    private static long[] numbers(JsonNode values) {
        if (!values.isArray()
                || !StreamSupport.stream(values.spliterator(), false)
                        .allMatch(id -> id.isIntegralNumber() && id.canConvertToLong())) {
            throw HttpProblem.wrong("filter.ids must have an array of ids for each subscription. Nothing was changed.");
        }
        return StreamSupport.stream(values.spliterator(), false)
                .mapToLong(JsonNode::longValue)
                .toArray();
    }

    /** The number of messages that still exist. @param progress receives the number so far; returning false ends the count */
    long count(Loader loader, LongPredicate progress) throws SQLException {
        long found = 0;
        for (Map.Entry<String, long[]> entry : bySubscription.entrySet()) {
            long[] ids = entry.getValue();
            for (int from = 0; from < ids.length && progress.test(found); from += CHUNK) {
                found += loader.load(entry.getKey(), Arrays.copyOfRange(ids, from, Math.min(ids.length, from + CHUNK)))
                        .size();
            }
        }
        return found;
    }
}
