package dev.caravan.base.message;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;
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
    private static final String SLASH = "%2F";
    private static final String PERCENT = "%25";

    /** Parses {@code TYPE/ID}, as {@link #toString} writes it. Empty when there is no type or no slash. */
    public static Optional<Key> parse(String text) {
        int slash = text.indexOf('/');
        return slash <= 0
                ? Optional.empty()
                : Optional.of(new Key(
                        text.substring(0, slash)
                                .replace(SLASH, "/")
                                .replace(SLASH.toLowerCase(Locale.ROOT), "/")
                                .replace(PERCENT, "%"),
                        text.substring(slash + 1)));
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

    /** {@code TYPE/ID}, with {@code %2F} for a slash in the type and {@code %25} for a percent sign: otherwise two keys could have one text. */
    @Override
    public String toString() {
        return type.replace("%", PERCENT).replace("/", SLASH) + "/" + id;
    }
}
