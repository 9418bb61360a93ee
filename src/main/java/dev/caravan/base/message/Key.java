package dev.caravan.base.message;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;

/**
 * The key of a message. Messages of one key are delivered in order.
 *
 * @param type the aggregate type, for example {@code order}
 * @param id the aggregate id, for example an order number
 */
public record Key(
        @JsonProperty("aggregateType") String type,
        @JsonProperty("aggregateId") String id) {
    /** Parses {@code TYPE/ID}; the type ends at the first slash. Empty when there is no type, no slash or no id. */
    public static Optional<Key> parse(String text) {
        int slash = text.indexOf('/');
        return slash <= 0 || slash == text.length() - 1
                ? Optional.empty()
                : Optional.of(new Key(text.substring(0, slash), text.substring(slash + 1)));
    }

    /** The generated method of a record takes longer than the rest of a lookup, and each message needs several lookups. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Key key && id.equals(key.id) && type.equals(key.type);
    }

    @Override
    public int hashCode() {
        return 31 * type.hashCode() + id.hashCode();
    }

    @Override
    public String toString() {
        return type + "/" + id;
    }
}
