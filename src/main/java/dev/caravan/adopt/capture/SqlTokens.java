package dev.caravan.adopt.capture;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The tokens of an SQL fragment about one row, such as a condition or the assignments after {@code set}. */
record SqlTokens(List<String> tokens) {
    private static final Pattern TOKEN = Pattern.compile(
            "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[A-Za-z_][A-Za-z0-9_$]*|[0-9][A-Za-z0-9_.]*|::|\\s+|.", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("\"(?:[^\"]|\"\")*\"|[A-Za-z_][A-Za-z0-9_$]*");
    private static final Pattern TIME = Pattern.compile("now|clock_timestamp|statement_timestamp|transaction_timestamp"
            + "|timeofday|current_timestamp|current_date|current_time|localtime|localtimestamp");

    static SqlTokens of(String sql) {
        return new SqlTokens(
                TOKEN.matcher(sql).results().map(MatchResult::group).toList());
    }

    /** The text with this row before each column. {@code new} before a column is replaced by the row. */
    String qualified(String row, Set<String> columns) {
        return changed(columns, name -> row + "." + name, row);
    }

    private String changed(Set<String> columns, UnaryOperator<String> column, String row) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < tokens.size(); i++) {
            String token = tokens.get(i);
            if (isColumn(i, columns)) {
                text.append(column.apply(token));
            } else {
                text.append(token.equalsIgnoreCase("new") && next(i).equals(".") ? row : token);
            }
        }
        return text.toString();
    }

    /** Those of these columns that the text names. */
    List<String> columns(Set<String> columns) {
        List<String> named = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            if (isColumn(i, columns) || previous(i).equals(".") && columns.contains(name(tokens.get(i)))) {
                named.add(name(tokens.get(i)));
            }
        }
        return named;
    }

    /** Whether a token is a column, and not a function, type or row of the same name. */
    private boolean isColumn(int i, Set<String> columns) {
        return NAME.matcher(tokens.get(i)).matches()
                && columns.contains(name(tokens.get(i)))
                && !Set.of(".", "::", "as").contains(previous(i))
                && !Set.of("(", ".").contains(next(i))
                && !next(i).startsWith("'");
    }

    /** Whether it reads the clock. */
    boolean dependsOnTime() {
        return tokens.stream()
                .anyMatch(token -> TIME.matcher(token.toLowerCase(Locale.ROOT)).matches());
    }

    boolean hasSubquery() {
        return tokens.stream().anyMatch(token -> token.equalsIgnoreCase("select"));
    }

    /** The parts between commas that are in no parentheses. */
    private List<SqlTokens> parts() {
        List<SqlTokens> parts = new ArrayList<>();
        List<String> part = new ArrayList<>();
        int depth = 0;
        for (String token : tokens) {
            if (Set.of("(", "[").contains(token)) {
                depth++;
            } else if (Set.of(")", "]").contains(token)) {
                depth--;
            }
            if (token.equals(",") && depth == 0) {
                parts.add(new SqlTokens(part));
                part = new ArrayList<>();
            } else {
                part.add(token);
            }
        }
        parts.add(new SqlTokens(part));
        return parts;
    }

    /** The assignments after {@code set} in an update: values by column. Empty if the text is not a list of assignments. */
    Optional<Map<String, String>> assignments() {
        Map<String, String> values = new LinkedHashMap<>();
        for (SqlTokens part : parts()) {
            List<String> assignment = of(part.toString().strip()).tokens();
            int equals = assignment.indexOf("=");
            boolean toColumn = equals == 1 || equals == 2 && assignment.get(1).isBlank();
            String value = toColumn ? String.join("", assignment.subList(equals + 1, assignment.size())) : "";
            if (value.isBlank()) {
                return Optional.empty();
            }
            values.put(name(assignment.get(0)), value.strip());
        }
        return Optional.of(values);
    }

    /** A name as it is in the catalog. */
    static String name(String token) {
        return token.startsWith("\"")
                ? token.substring(1, token.length() - 1).replace("\"\"", "\"")
                : token.toLowerCase(Locale.ROOT);
    }

    private String next(int i) {
        for (int at = i + 1; at < tokens.size(); at++) {
            if (!tokens.get(at).isBlank()) {
                return tokens.get(at);
            }
        }
        return "";
    }

    private String previous(int i) {
        for (int at = i - 1; at >= 0; at--) {
            if (!tokens.get(at).isBlank()) {
                return tokens.get(at).toLowerCase(Locale.ROOT);
            }
        }
        return "";
    }

    @Override
    public String toString() {
        return String.join("", tokens);
    }
}
