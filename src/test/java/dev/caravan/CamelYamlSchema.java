package dev.caravan;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

/** The schema of Camel's YAML in its canonical form. It is read only once, because it is large. */
public final class CamelYamlSchema {
    private static final JsonSchema SCHEMA = read();

    private CamelYamlSchema() {}

    /** The violations of the schema in a file of routes. */
    public static Set<ValidationMessage> problems(JsonNode yaml) {
        return SCHEMA.validate(yaml);
    }

    private static JsonSchema read() {
        try (var stream = CamelYamlSchema.class.getResourceAsStream("/schema/camelYamlDsl.json")) {
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V4).getSchema(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
