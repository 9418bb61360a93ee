package dev.caravan.adopt.doctor;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.Comparator;
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
@JsonPropertyOrder({"server", "facts", "critical", "warning", "note", "findings", "notExamined"})
public record Report(String server, Map<String, String> facts, List<Finding> findings, List<NotExamined> notExamined) {
    /**
     * Something that could not be examined.
     *
     * @param subject what would have been examined
     * @param why the reason
     * @param fix how to make the examination possible
     */
    public record NotExamined(String subject, String why, String fix) {}

    public Report {
        findings = findings.stream()
                .sorted(Comparator.comparing(Finding::severity).thenComparing(Finding::kind))
                .toList();
    }

    @JsonProperty
    public long critical() {
        return count(Severity.CRITICAL);
    }

    @JsonProperty
    long warning() {
        return count(Severity.WARNING);
    }

    @JsonProperty
    long note() {
        return count(Severity.NOTE);
    }

    public long count(Severity severity) {
        return findings.stream()
                .filter(finding -> finding.severity() == severity)
                .count();
    }
}
