package dev.caravan.adopt.doctor;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A problem that endangers messages, or costs more than necessary.
 *
 * @param about the object: a table, column, index, session or setting
 * @param figure what was measured
 * @param fix what to do
 * @param sql the statements that do it; empty when no statement can
 */
@JsonPropertyOrder({"id", "severity", "about", "figure", "why", "fix", "sql"})
public record Finding(
        @JsonIgnore FindingKind kind, Severity severity, String about, String figure, String fix, String sql) {
    private static final Pattern AMOUNT = Pattern.compile("\\{(count|bytes|seconds) (-?\\d{1,19})}");

    public Finding {
        if (!kind.severities().contains(severity)) {
            throw new IllegalArgumentException(kind + " is never " + severity);
        }
    }

    /**
     * A row of a statement that looks for findings. Numbers in the figure are written {@code {count 1000}}, {@code {bytes 8192}} and
     * {@code {seconds 90}}.
     *
     * @throws Examination.NotPossible if the statement reports that it could not examine, with the reason as figure
     */
    static Finding read(ResultSet row) throws SQLException {
        if (row.getString("kind").equals("not-examined")) {
            throw new Examination.NotPossible(row.getString("figure"), row.getString("fix"));
        }
        return new Finding(
                FindingKind.valueOf(
                        row.getString("kind").toUpperCase(Locale.ROOT).replace('-', '_')),
                Severity.valueOf(row.getString("severity").toUpperCase(Locale.ROOT)),
                row.getString("about"),
                AMOUNT.matcher(row.getString("figure"))
                        .replaceAll(amount -> formatted(amount.group(1), Long.parseLong(amount.group(2)))),
                row.getString("fix"),
                row.getString("sql"));
    }

    private static String formatted(String unit, long amount) {
        return switch (unit) {
            case "bytes" -> Formatted.bytes(amount);
            case "seconds" -> Span.text(Duration.ofSeconds(amount));
            default -> String.format(Locale.ROOT, "%,d", amount);
        };
    }

    Finding withFigure(String other) {
        return new Finding(kind, severity, about, other, fix, sql);
    }

    /** For example {@code cursor-poller}. */
    @JsonProperty
    public String id() {
        return kind.id();
    }

    /** Why it matters. */
    @JsonProperty
    public String why() {
        return kind.why();
    }
}
