package dev.caravan.base.message;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.util.NameTransformer;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Reads and writes JSON, for {@code --output json}, the HTTP API and the database. A record is an object with its components in their order;
 * annotations of Jackson on the record change names and order, and add the results of methods. An {@link Instant} is a text in UTC, a
 * {@link Duration} the number of its seconds with up to three decimals, an enum its text, and an {@link Optional} its value or null.
 */
public final class Json {
    private static final ObjectMapper LINE = StoredJson.mapper()
            .visibility(PropertyAccessor.IS_GETTER, Visibility.NONE) // isPaused() is a question, not a field
            .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
            .addModule(new SimpleModule()
                    .addSerializer(Instant.class, ToStringSerializer.instance)
                    .addSerializer(Duration.class, written(time -> time.toMillis() / 1000.0))
                    .addSerializer(Optional.class, written(Json::content))
                    .addSerializer(OptionalInt.class, written(value -> value.isPresent() ? value.getAsInt() : null))
                    .addSerializer(OptionalLong.class, written(value -> value.isPresent() ? value.getAsLong() : null))
                    .addSerializer(
                            OptionalDouble.class, written(value -> value.isPresent() ? value.getAsDouble() : null)))
            .build();
    private static final ObjectMapper INDENTED = LINE.copy().enable(SerializationFeature.INDENT_OUTPUT);

    private Json() {}

    /** A mapper with the same rules. */
    public static ObjectMapper mapper() {
        return LINE.copy();
    }

    /** The JSON of a record, map, list or simple value. */
    public static String text(Object value) {
        return text(INDENTED, value);
    }

    /** The same without line breaks. */
    public static String line(Object value) {
        return text(LINE, value);
    }

    /** The same as a tree. */
    public static JsonNode tree(Object value) {
        return LINE.valueToTree(value);
    }

    /** The fields of a record by name, to add others. */
    public static Map<String, Object> fields(Record value) {
        return LINE.convertValue(value, new TypeReference<LinkedHashMap<String, Object>>() {});
    }

    /** The names of all fields of a record, in their order. */
    public static List<String> names(Class<? extends Record> record) {
        List<String> names = new ArrayList<>();
        try {
            LINE.acceptJsonFormatVisitor(record, new JsonFormatVisitorWrapper.Base() {
                @Override
                public JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
                    return new JsonObjectFormatVisitor.Base() {
                        @Override
                        public void optionalProperty(BeanProperty field) {
                            names.add(field.getName());
                        }
                    };
                }
            });
        } catch (JsonMappingException e) {
            throw new IllegalArgumentException(e);
        }
        return List.copyOf(names);
    }

    /** The tree of a text that the database holds as JSON. */
    public static JsonNode read(String json) {
        try {
            return LINE.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Object content(Optional<?> value) {
        return value.orElse(null);
    }

    private static String text(ObjectMapper mapper, Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Writes what a value stands for. */
    private static <T> JsonSerializer<T> written(Function<T, Object> content) {
        return new JsonSerializer<>() {
            @Override
            public void serialize(T value, JsonGenerator json, SerializerProvider serializers) throws IOException {
                serializers.defaultSerializeValue(content.apply(value), json);
            }

            /** Merges the fields of a value into the object around it, and writes nothing if there is none. */
            @Override
            public JsonSerializer<T> unwrappingSerializer(NameTransformer names) {
                return new JsonSerializer<>() {
                    @Override
                    public void serialize(T value, JsonGenerator json, SerializerProvider serializers)
                            throws IOException {
                        Object found = content.apply(value);
                        if (found != null) {
                            serializers
                                    .findValueSerializer(found.getClass())
                                    .unwrappingSerializer(names)
                                    .serialize(found, json, serializers);
                        }
                    }

                    @Override
                    public boolean isUnwrappingSerializer() {
                        return true;
                    }
                };
            }

            @Override
            public boolean isEmpty(SerializerProvider serializers, T value) {
                return content.apply(value) == null;
            }
        };
    }
}
