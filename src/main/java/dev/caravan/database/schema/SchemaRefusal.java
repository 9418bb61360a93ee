package dev.caravan.database.schema;

/** Migrations cannot be applied to the tables in the schema. The message says why and what to do. Nothing was changed. */
public final class SchemaRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SchemaRefusal(String message) {
        super(message);
    }
}
