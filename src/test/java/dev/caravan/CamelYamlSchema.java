package dev.caravan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

/**
 * The schema of Camel's YAML in its canonical form: the schema of Camel without the compact notation, which is deprecated. Camel 4.21 and
 * later have it as camelYamlDsl-canonical.json. It is read only once, because it is large.
 */
public final class CamelYamlSchema {
    private static final String EXPRESSION = "#/items/definitions/org.apache.camel.model.language.ExpressionDefinition";
    private static final JsonSchema SCHEMA = read();

    private CamelYamlSchema() {}

    /** The violations of the schema in a file of routes. */
    public static Set<ValidationMessage> problems(JsonNode yaml) {
        return SCHEMA.validate(yaml);
    }

    private static JsonSchema read() {
        try (var stream = CamelYamlSchema.class.getResourceAsStream("/schema/camelYamlDsl.json")) {
            JsonNode schema = new ObjectMapper().readTree(stream);
            ((ObjectNode) schema.at("/items/properties")).remove("from"); // a route without route
            removeCompact(schema);
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V4).getSchema(schema);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes the alternatives in which a step is a text, and those in which a language is an option of a step. */
    private static void removeCompact(JsonNode schema) {
        if (schema.path("oneOf") instanceof ArrayNode alternatives) {
            for (int i = alternatives.size() - 1; i >= 0; i--) {
                JsonNode each = alternatives.get(i);
                if (each.path("type").asText().equals("string")
                        || each.path("$ref").asText().equals(EXPRESSION)) {
                    alternatives.remove(i);
                }
            }
        }
        schema.forEach(CamelYamlSchema::removeCompact);
    }
}
