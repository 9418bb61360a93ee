package dev.caravan.schema;

/** The tables in the schema are not ones that migrations can be applied to. The message says why and what to do. Nothing was changed. */
public final class SchemaRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SchemaRefusal(String message) {
        super(message);
    }
}
