package dev.caravan.text;

/** Quotes names and values for SQL that a person reads, or that cannot have parameters. */
public final class SqlText {
    private SqlText() {}

    /** A name, in double quotes if it needs them because of its characters. */
    public static String identifier(String name) {
        return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A text in single quotes. */
    public static String literal(String value) {
        return "'" + value.replace("'", "''") + "'";
    }
}
