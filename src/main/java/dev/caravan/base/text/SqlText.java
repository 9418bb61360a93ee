package dev.caravan.base.text;

import java.util.Locale;
import java.util.Set;

/** Quotes names and values for SQL that a person reads, or that cannot have parameters. */
public final class SqlText {
    /** The words that Postgres accepts as the name of a column only in quotes (pg_get_keywords, categories R and T). */
    private static final Set<String> RESERVED = Set.of("""
            all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently
            constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user
            default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having ilike in initially
            inner intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only
            or order outer overlaps placing primary references returning right select session_user similar some symmetric system_user table
            tablesample then to trailing true union unique user using variadic verbose when where window with
            """.trim().split("\\s+"));

    private SqlText() {}

    /** A name, in double quotes if it needs them because of its characters, or because it is a reserved word. */
    public static String identifier(String name) {
        boolean isPlain = name.matches("[a-z_][a-z0-9_]*") && !RESERVED.contains(name);
        return isPlain ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A text in single quotes. */
    public static String literal(String value) {
        return "'" + value.replace("'", "''") + "'";
    }

    /**
     * A text that another role has chosen, for a statement that a person copies from a terminal or a page: on one line and without
     * {@link HiddenCharacters}. Only such a text is written with escapes.
     */
    public static String visibleLiteral(String value) {
        if (HiddenCharacters.shownOnLine(value).equals(value)) {
            return literal(value);
        }
        StringBuilder escaped = new StringBuilder("E'");
        literal(value.replace("\\", "\\\\"))
                .substring(1)
                .codePoints()
                .forEach(point -> escaped.append(
                        point >= ' ' && point <= '~'
                                ? Character.toString(point)
                                : String.format(Locale.ROOT, "\\U%08x", point)));
        return escaped.toString();
    }

    /**
     * The source of a function between dollar quotes. Names from the catalog are part of it, and the owner of a table chooses those of its
     * columns: the quotes are ones that the source does not contain.
     */
    public static String block(String source) {
        String tag = "$capture";
        while (source.contains(tag)) {
            tag += "_";
        }
        return tag + "$" + source + tag + "$";
    }
}
