package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.StoredContent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/** The content of a message as it is shown. */
public sealed interface ShownContent {
    /** The names of all fields of a content whose values are shown. */
    List<String> COLUMNS = List.of("headers", "payload", "payloadBase64", "binarySize", "leftOutBytes");

    /** A large content. */
    record LeftOut(long leftOutBytes) implements ShownContent {}

    /**
     * The names of the headers, without values.
     *
     * @param binarySize size of a binary payload
     */
    record Names(
            List<String> headerNames,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalInt binarySize) implements ShownContent {
        static Names of(StoredContent stored) {
            return new Names(ShownContent.headerNames(stored.headers()), size(stored));
        }
    }

    /** Headers and payload. */
    record Values(
            Optional<RawValue> headers,
            Optional<RawValue> payload,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) Optional<byte[]> payloadBase64,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalInt binarySize)
            implements ShownContent {
        static Values of(StoredContent stored, UnaryOperator<String> filter) {
            return new Values(
                    stored.headers().map(filter).map(RawValue::new),
                    stored.payload().map(filter).map(RawValue::new),
                    stored.bytes(),
                    size(stored));
        }
    }

    /** The names of headers that are a JSON object. */
    static List<String> headerNames(Optional<String> headers) {
        List<String> names = new ArrayList<>();
        Json.read(headers.orElse("{}")).fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static OptionalInt size(StoredContent stored) {
        return stored.bytes().map(bytes -> OptionalInt.of(bytes.length)).orElse(OptionalInt.empty());
    }
}
