package dev.caravan.adopt.doctor;

import java.util.List;
import java.util.Locale;

/**
 * A column of a table of messages.
 *
 * @param quoted the name as in a statement
 * @param type without length; for a domain its base type, for an enum {@code enum}
 * @param defaultValue as SQL; null for none
 * @param sequence oid of the sequence that numbers it; 0 for none
 */
public record Column(
        String name,
        String quoted,
        String type,
        String defaultValue,
        boolean generated,
        long sequence,
        boolean primaryKey,
        boolean unique) {
    private static final List<String> INTEGERS = List.of("smallint", "integer", "bigint");

    public boolean isInteger() {
        return INTEGERS.contains(type);
    }

    public boolean isTime() {
        return type.startsWith("timestamp") || type.equals("date");
    }

    public boolean isText() {
        return List.of("text", "character varying", "character", "enum", "\"char\"")
                .contains(type);
    }

    /** Whether values are safe to show: numbers and generated ids, but not text, which may be an address. */
    boolean isShown() {
        return isInteger() || type.equals("uuid");
    }

    /** The name without case and underscores: {@code publishedat} for {@code published_at} and {@code "publishedAt"}. */
    public String plainName() {
        return name.toLowerCase(Locale.ROOT).replace("_", "");
    }
}
