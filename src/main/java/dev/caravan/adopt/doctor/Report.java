package dev.caravan.adopt.doctor;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of an examination.
 *
 * @param server database, version and role
 * @param facts what was examined and how it was interpreted, by name
 * @param findings the most urgent first
 * @param notExamined what could not be examined
 */
public record Report(String server, Map<String, String> facts, List<Finding> findings, List<NotExamined> notExamined) {
    /**
     * Something that could not be examined.
     *
     * @param subject what would have been examined
     * @param why the reason
     * @param fix how to make the examination possible
     */
    public record NotExamined(String subject, String why, String fix) {
        Map<String, Object> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("subject", subject);
            fields.put("why", why);
            fields.put("fix", fix);
            return fields;
        }
    }

    public Report {
        findings = findings.stream()
                .sorted(Comparator.comparing(Finding::severity).thenComparing(Finding::kind))
                .toList();
    }

    public boolean isCritical() {
        return count(Severity.CRITICAL) > 0;
    }

    public long count(Severity severity) {
        return findings.stream()
                .filter(finding -> finding.severity() == severity)
                .count();
    }

    /** The JSON fields. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("server", server);
        fields.put("facts", facts);
        for (Severity severity : Severity.values()) {
            fields.put(severity.toString(), count(severity));
        }
        fields.put("findings", findings.stream().map(Finding::fields).toList());
        fields.put("notExamined", notExamined.stream().map(NotExamined::fields).toList());
        return fields;
    }
}
