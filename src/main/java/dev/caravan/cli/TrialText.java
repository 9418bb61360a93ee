package dev.caravan.cli;

import dev.caravan.base.message.Json;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Formats a trial for people, from the fields that JSON output has too. */
final class TrialText {
    private static final String CONTINUATION = "\n             ";

    private TrialText() {}

    @SuppressWarnings("unchecked")
    static String text(Map<String, Object> trial, boolean isSent) {
        StringBuilder text = new StringBuilder();
        text.append("Message ").append(trial.get("messageId"));
        text.append(" (").append(trial.get("type")).append(") by route ").append(trial.get("route"));
        var sent = (List<Map<String, Object>>) trial.get("sent");
        sent.forEach(each -> text.append("\n\n").append(sent(each, isSent)));
        var afterDeath = (List<Map<String, Object>>) trial.get("sentByDeadLetterRoute");
        afterDeath.forEach(
                each -> text.append("\n\n").append("By route dead-letter: ").append(sent(each, isSent)));
        if (trial.containsKey("errorText")) {
            text.append("\n\nError: ")
                    .append(trial.get("errorClass"))
                    .append(": ")
                    .append(trial.get("errorText"));
            text.append(String.valueOf(trial.get("step")).isEmpty() ? "" : "\nStep: " + trial.get("step"));
        }
        return text.append("\n\nResult: ")
                .append(trial.get("outcome"))
                .append('.')
                .toString();
    }

    @SuppressWarnings("unchecked")
    private static String sent(Map<String, Object> sent, boolean isSent) {
        StringBuilder text = new StringBuilder();
        text.append(sent.get("kind")).append("  ").append(continued(sent.get("destination")));
        line(text, "key", sent.get("key"));
        line(text, "partition", sent.get("partition"));
        for (var header : (List<Map<String, Object>>) sent.get("headers")) {
            line(text, "header", header.get("name") + ": " + header.get("value"));
        }
        if (sent.get("parameters") instanceof List<?> parameters) {
            parameters.forEach(value -> line(text, "parameter", Objects.toString(value, "null")));
        }
        if (sent.get("parts") instanceof List<?> parts) {
            parts.forEach(part -> {
                Map<String, Object> fields = (Map<String, Object>) part;
                line(text, "part", fields.get("type"));
                line(text, "", fields.get("content"));
            });
        }
        if (sent.containsKey("body")) {
            line(text, "body", Objects.toString(sent.get("body"), "none"));
        }
        answer(text, (Map<String, Object>) sent.get("answer"), isSent);
        return text.toString();
    }

    private static void answer(StringBuilder text, Map<String, Object> answer, boolean isSent) {
        boolean isDefault = Map.of("answer", "200", "headers", Map.of()).entrySet().stream()
                .allMatch(entry -> entry.getValue().equals(answer.get(entry.getKey())));
        if (!isSent && isDefault && answer.get("body") == null) {
            return;
        }
        line(
                text,
                isSent ? "answer" : "(answer)",
                answer.get("answer") + (answer.get("detail") == null ? "" : " " + answer.get("detail")));
        if (!Map.of().equals(answer.get("headers"))) {
            line(text, "", Json.line(answer.get("headers")));
        }
        line(text, "", answer.get("body"));
    }

    private static void line(StringBuilder text, String name, Object value) {
        if (value != null) {
            text.append(String.format(Locale.ROOT, "%n  %-10s ", name)).append(continued(value));
        }
    }

    private static String continued(Object value) {
        return String.valueOf(value).strip().replaceAll("\\R", CONTINUATION);
    }
}
