package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.PropertyWriter;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.base.message.Json;
import dev.caravan.database.BoundedCount;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.explain.Explanation;
import dev.caravan.operate.explain.Find;
import dev.caravan.operate.explain.Found;
import dev.caravan.operate.explain.History;
import dev.caravan.operate.explain.OpenTransaction;
import dev.caravan.operate.explain.Outcome;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.Why;
import dev.caravan.operate.failed.BlockedKey;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterGroups;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.Discarded;
import dev.caravan.operate.failed.FailedAttempt;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.failed.WaitingSummary;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.subscription.DestinationStatus;
import dev.caravan.operate.subscription.LaneStatus;
import dev.caravan.operate.subscription.Obstacle;
import dev.caravan.operate.subscription.RateStatus;
import dev.caravan.operate.watch.OutboxStatus;
import dev.caravan.routes.context.RouteOutline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The schemas of the answers have the fields of the records that are the answers. People write only what a record does not say: descriptions,
 * examples, and the values of a text. With {@code -Dwrite.openapi=true} the test writes the document.
 */
class OpenApiSchemasTest {
    private static final Path DOCUMENT = Path.of("src/main/resources/api/openapi.json");
    private static final String COMPONENTS = "#/components/schemas/";

    /** The records by the name of their schema. */
    private static final Map<String, Class<?>> SCHEMAS = Map.ofEntries(
            Map.entry("AuditEntry", AuditEntry.class),
            Map.entry("BlockedKey", BlockedKey.class),
            Map.entry("BulkRetry", Job.BulkRetry.class),
            Map.entry("Count", BoundedCount.class),
            Map.entry("Counted", Bulk.Counted.class),
            Map.entry("CountedReplay", SubscriptionOperations.CountedReplay.class),
            Map.entry("Job", Job.class),
            Map.entry("DeadLetter", DeadLetter.View.class),
            Map.entry("DeadLetterGroup", DeadLetterGroups.Group.class),
            Map.entry("DeadLetterSummary", DeadLetterSummary.class),
            Map.entry("DeliveredSince", DeadLetterOperations.Since.class),
            Map.entry("Destination", DestinationStatus.class),
            Map.entry("Discard", DeadLetterOperations.Removed.class),
            Map.entry("Discarded", Discarded.class),
            Map.entry("Explanation", Explanation.class),
            Map.entry("FailedAttempt", FailedAttempt.class),
            Map.entry("Found", Found.class),
            Map.entry("Intake", IntakeStatus.class),
            Map.entry("IntakeDetail", IntakeOperations.Details.class),
            Map.entry("Lane", LaneStatus.class),
            Map.entry("Message", MessageSearch.Whole.class),
            Map.entry("MessageState", MessageSearch.State.class),
            Map.entry("MessageSummary", MessageSearch.Summary.class),
            Map.entry("Obstacle", Obstacle.class),
            Map.entry("Outbox", OutboxStatus.class),
            Map.entry("Outcome", Outcome.class),
            Map.entry("OverviewProblem", Problem.class),
            Map.entry("Partition", Partition.class),
            Map.entry("Rate", RateStatus.class),
            Map.entry("Relay", SystemOperations.Relay.class),
            Map.entry("Retry", Waiting.View.class),
            Map.entry("RetrySummary", WaitingSummary.class),
            Map.entry("Route", RouteOutline.class),
            Map.entry("Subscription", Subscription.class),
            Map.entry("SubscriptionDetail", SubscriptionOperations.Details.class),
            Map.entry("Writer", OpenTransaction.class));

    /** The records of answers whose schema has no name. */
    private static final Map<String, Class<?>> ANSWERS = Map.ofEntries(
            Map.entry("get /api/me", SystemOperations.Me.class),
            Map.entry("get /api/overview", SystemOperations.Overview.class),
            Map.entry("get /api/history", History.class),
            Map.entry("get /api/routes", Operations.Routes.class),
            Map.entry("post /api/subscriptions/{name}/pause", SubscriptionOperations.Changed.class),
            Map.entry("post /api/subscriptions/{name}/resume", SubscriptionOperations.Changed.class),
            Map.entry("post /api/intakes/{name}/pause", IntakeOperations.Changed.class),
            Map.entry("post /api/intakes/{name}/resume", IntakeOperations.Changed.class),
            Map.entry("get /api/dead-letters/groups", DeadLetterOperations.Groups.class),
            Map.entry("post /api/dead-letters/{subscription}/{id}/retry", DeadLetterOperations.Retried.class),
            Map.entry("get /api/find", Find.Result.class),
            Map.entry("get /api/messages", MessageSearch.Window.class),
            Map.entry("get /api/messages/{id}", MessageSearch.Details.class),
            Map.entry("get /api/why/{subject}", Why.Answer.class));

    private static final ObjectMapper MAPPER = Json.mapper();
    private static final DefaultPrettyPrinter PRINTER = new DefaultPrettyPrinter(Separators.createDefaultInstance()
                    .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                    .withObjectEmptySeparator("")
                    .withArrayEmptySeparator(""))
            .withArrayIndenter(new DefaultIndenter("  ", "\n"))
            .withObjectIndenter(new DefaultIndenter("  ", "\n"));
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    @Test
    void the_schemas_of_the_answers_are_those_of_the_records() throws Exception {
        String committed = Files.readString(DOCUMENT);
        JsonNode document = MAPPER.readTree(committed);
        ObjectNode schemas = (ObjectNode) document.at("/components/schemas");
        SCHEMAS.forEach((name, type) -> schemas.set(name, merged(schemas.path(name), object(type))));
        ANSWERS.forEach((operation, type) -> {
            String[] parts = operation.split(" ");
            ObjectNode answer = (ObjectNode) document.get("paths")
                    .get(parts[1])
                    .get(parts[0])
                    .at("/responses/200/content")
                    .get("application/json");
            answer.set("schema", merged(answer.get("schema"), object(type)));
        });
        String generated = MAPPER.writer(PRINTER).writeValueAsString(document) + "\n";
        if (Boolean.getBoolean("write.openapi")) {
            Files.writeString(DOCUMENT, generated);
        } else {
            assertThat(committed)
                    .as("Run the test with -Dwrite.openapi=true, and describe what is new")
                    .isEqualTo(generated);
        }
    }

    /** What was generated, with what people wrote about it. */
    private static ObjectNode merged(JsonNode written, JsonNode generated) {
        ObjectNode merged = JSON.objectNode();
        boolean isText = generated.path("type").toString().contains("string");
        for (Map.Entry<String, JsonNode> each : written.properties()) {
            String key = each.getKey();
            if (generated.has(key)) {
                merged.set(key, of(key, each.getValue(), generated.get(key)));
            } else if (isText && key.equals("enum")
                    || generated.isEmpty()
                    || !Set.of("type", "properties", "required", "items", "format", "enum", "anyOf", "$ref")
                            .contains(key)) {
                merged.set(key, each.getValue());
            }
        }
        generated.properties().forEach(each -> {
            if (!merged.has(each.getKey())) {
                merged.set(each.getKey(), of(each.getKey(), JSON.missingNode(), each.getValue()));
            }
        });
        return merged;
    }

    private static JsonNode of(String key, JsonNode written, JsonNode generated) {
        return switch (key) {
            case "properties" -> {
                ObjectNode all = JSON.objectNode();
                generated
                        .properties()
                        .forEach(each -> all.set(each.getKey(), merged(written.path(each.getKey()), each.getValue())));
                yield all;
            }
            case "items" -> elements(written, generated);
            case "additionalProperties" -> generated.isObject() ? merged(written, generated) : generated;
            default -> isSame(written, generated) ? written : generated;
        };
    }

    /** A list of Java does not say whether it contains null. */
    private static ObjectNode elements(JsonNode written, JsonNode generated) {
        ObjectNode merged = merged(written, generated);
        if (texts(written.path("type")).contains(generated.path("type").toString())) {
            merged.set("type", written.get("type"));
        }
        return merged;
    }

    /** Whether two lists have the same values. */
    private static boolean isSame(JsonNode written, JsonNode generated) {
        return written.isArray()
                && generated.isArray()
                && texts(written).equals(texts(generated))
                && written.size() == generated.size();
    }

    private static Set<String> texts(JsonNode values) {
        Set<String> texts = new TreeSet<>();
        values.forEach(value -> texts.add(value.toString()));
        return texts;
    }

    private static ObjectNode object(Class<?> type) {
        return object(MAPPER.constructType(type));
    }

    private static ObjectNode object(JavaType type) {
        ObjectNode schema = JSON.objectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = schema.putArray("required");
        add(type, properties, required, true);
        return schema.put("additionalProperties", false);
    }

    private static void add(JavaType type, ObjectNode properties, ArrayNode required, boolean always) {
        if (type.getRawClass().isSealed()) {
            Stream.of(type.getRawClass().getPermittedSubclasses())
                    .forEach(each -> add(MAPPER.constructType(each), properties, required, false));
            return;
        }
        fields(type).forEachRemaining(field -> {
            AnnotatedMember member = field.getMember();
            if (member.hasAnnotation(JsonUnwrapped.class)) {
                boolean isOptional = member.getRawType() == Optional.class;
                JavaType parts = isOptional ? member.getType().containedType(0) : member.getType();
                add(parts, properties, required, always && !isOptional);
                return;
            }
            boolean isOmitted = member.hasAnnotation(JsonInclude.class);
            properties.set(
                    field.getName(),
                    member.hasAnnotation(JsonSerialize.class)
                            ? JSON.objectNode().put("type", "string")
                            : member.hasAnnotation(JsonRawValue.class)
                                    ? JSON.objectNode()
                                    : isOmitted ? present(member.getType()) : of(member.getType()));
            if (always && !isOmitted) {
                required.add(field.getName());
            }
        });
    }

    /** The fields in the order in which they are written. */
    private static Iterator<PropertyWriter> fields(JavaType type) {
        try {
            return MAPPER.getSerializerProviderInstance()
                    .findValueSerializer(type)
                    .properties();
        } catch (JsonMappingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The schema of a field that is left out if it has no value. */
    private static ObjectNode present(JavaType type) {
        return type.hasRawClass(OptionalInt.class)
                ? JSON.objectNode().put("type", "integer")
                : of(type.containedType(0));
    }

    private static ObjectNode of(JavaType type) {
        Class<?> raw = type.getRawClass();
        if (raw == Optional.class) {
            return nullable(of(type.containedType(0)));
        }
        if (raw == OptionalInt.class || raw == OptionalLong.class || raw == OptionalDouble.class) {
            return nullable(JSON.objectNode().put("type", raw == OptionalDouble.class ? "number" : "integer"));
        }
        if (raw == RawValue.class || raw == JsonNode.class) {
            return JSON.objectNode();
        }
        ObjectNode schema = JSON.objectNode();
        for (Map.Entry<String, Class<?>> named : SCHEMAS.entrySet()) {
            if (named.getValue() == raw) {
                return schema.put("$ref", COMPONENTS + named.getKey());
            }
        }
        if (Collection.class.isAssignableFrom(raw)) {
            return schema.put("type", "array").set("items", of(type.containedType(0)));
        }
        if (Map.class.isAssignableFrom(raw)) {
            return schema.put("type", "object").set("additionalProperties", of(type.containedType(1)));
        }
        if (raw.isEnum()) {
            ArrayNode values = schema.put("type", "string").putArray("enum");
            Stream.of(raw.getEnumConstants()).forEach(value -> values.add(Json.tree(value)));
            return schema;
        }
        if (raw == ObjectNode.class) {
            return schema.put("type", "object");
        }
        return isText(type) ? text(schema, raw) : number(schema, raw, type);
    }

    private static boolean isText(JavaType type) {
        return Stream.of(String.class, Instant.class, UUID.class, byte[].class).anyMatch(type::hasRawClass)
                || MAPPER.getSerializationConfig().introspect(type).findJsonValueAccessor() != null;
    }

    private static ObjectNode text(ObjectNode schema, Class<?> raw) {
        schema.put("type", "string");
        if (raw == Instant.class || raw == UUID.class) {
            schema.put("format", raw == UUID.class ? "uuid" : "date-time");
        }
        return schema;
    }

    private static ObjectNode number(ObjectNode schema, Class<?> raw, JavaType type) {
        if (raw == boolean.class || raw == Boolean.class) {
            return schema.put("type", "boolean");
        }
        if (raw == double.class || raw == Double.class || raw == Duration.class) {
            return schema.put("type", "number");
        }
        return raw.isPrimitive() || Number.class.isAssignableFrom(raw) ? schema.put("type", "integer") : object(type);
    }

    private static ObjectNode nullable(ObjectNode schema) {
        if (schema.has("type")) {
            String type = schema.get("type").asText();
            schema.putArray("type").add(type).add("null");
            return schema;
        }
        if (schema.isEmpty()) {
            return schema;
        }
        ObjectNode either = JSON.objectNode();
        either.putArray("anyOf").add(schema).add(JSON.objectNode().put("type", "null"));
        return either;
    }
}
