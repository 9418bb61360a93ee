package dev.caravan.adopt.doctor;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A problem that endangers messages, or costs more than necessary.
 *
 * @param about the object: a table, column, index, session or setting
 * @param figure what was measured
 * @param fix what to do
 * @param sql the statements that do it; empty when no statement can
 */
public record Finding(FindingKind kind, Severity severity, String about, String figure, String fix, String sql) {
    public Finding {
        if (!kind.severities().contains(severity)) {
            throw new IllegalArgumentException(kind + " is never " + severity);
        }
    }

    /** The JSON fields. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", kind.id());
        fields.put("severity", severity.toString());
        fields.put("about", about);
        fields.put("figure", figure);
        fields.put("why", kind.why());
        fields.put("fix", fix);
        fields.put("sql", sql);
        return fields;
    }
}
