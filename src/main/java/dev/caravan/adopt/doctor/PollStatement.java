package dev.caravan.adopt.doctor;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement of {@code pg_stat_statements} that reads messages, without comments and literals, which may contain content of messages.
 *
 * @param text on one line, in lower case
 */
record PollStatement(String text, long calls, long rows, double meanMillis) {
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?(\\*/|$)|--[^\\n\\r]*");
    private static final Pattern LITERAL =
            Pattern.compile("(?s)\\$(\\w*)\\$.*?(\\$\\1\\$|$)|'(?:[^'\\\\]|''|\\\\.)*('|$)");
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w$.\"])\\d+(\\.\\d+)?(e[+-]?\\d+)?");
    private static final Pattern POLL = Pattern.compile("(select|with|update)\\b.*");
    private static final Pattern BOUNDED = Pattern.compile("\\b(limit|order by|fetch (first|next))\\b");
    private static final Pattern OFFSET = Pattern.compile("\\boffset\\s+(\\$\\d+|\\?|:?\\w+)");
    private static final Pattern ORDER_BY = Pattern.compile("\\border by\\s+(?:\"?\\w+\"?\\.)?\"?(\\w+)\"?");
    private static final int MAX_SHOWN = 160;

    static PollStatement of(String query, long calls, long rows, double meanMillis) {
        return new PollStatement(plain(query), calls, rows, meanMillis);
    }

    private static String plain(String query) {
        String literals =
                LITERAL.matcher(COMMENT.matcher(query).replaceAll(" ")).replaceAll("?");
        return NUMBER.matcher(literals.replaceAll("[\\p{Cc}\\s]+", " ").strip().toLowerCase(Locale.ROOT))
                .replaceAll("?");
    }

    /** Whether it selects messages from the table: several, in an order or up to a limit. */
    boolean polls(String table) {
        String name = Pattern.quote(table.toLowerCase(Locale.ROOT));
        return POLL.matcher(text).matches()
                && BOUNDED.matcher(text).find()
                && Pattern.compile(
                                "\\b(from|join|update)\\s+(only\\s+)?(\"?[\\w ]+\"?\\.)?\"?" + name + "\"?(?![\\w.])")
                        .matcher(text)
                        .find();
    }

    boolean hasOffset() {
        return OFFSET.matcher(text).find();
    }

    /** Whether it reads what is after a value of one of these columns, instead of what is pending. */
    boolean isCursor(List<String> columns, Optional<String> published) {
        return published.filter(this::names).isEmpty() && columns.stream().anyMatch(this::isAfter);
    }

    private boolean names(String column) {
        return Pattern.compile("\\b" + Pattern.quote(column.toLowerCase(Locale.ROOT)) + "\\b")
                .matcher(text)
                .find();
    }

    private boolean isAfter(String column) {
        String name = "\"?" + Pattern.quote(column.toLowerCase(Locale.ROOT)) + "\"?";
        String value = "(\\$\\d+|\\?|:\\w+|coalesce\\s*\\(|greatest\\s*\\(|\\(\\s*select\\b)";
        return Pattern.compile("(?<!\\w)" + name + "\\s*>=?\\s*" + value // id > $1
                        + "|\\([^()]*(?<!\\w)" + name
                        + "[^()]*\\)\\s*>=?\\s*(\\(|row\\b)" // (created_at, id) > ($1, $2)
                        + "|(\\$\\d+|\\?)\\s*<=?\\s*(\\w+\\.)?" + name + "(?!\\w)") // $1 < id
                .matcher(text)
                .find();
    }

    /** The first column of its ORDER BY clause. */
    Optional<String> orderedBy() {
        Matcher order = ORDER_BY.matcher(text);
        return order.find() ? Optional.of(order.group(1)) : Optional.empty();
    }

    double rowsPerCall() {
        return (double) rows / calls;
    }

    /** The text for the report, cut if it is long. */
    String shown() {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN - 1) + "…";
    }
}
