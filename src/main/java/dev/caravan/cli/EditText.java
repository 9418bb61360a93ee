package dev.caravan.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.JsonDifference;
import dev.caravan.base.text.Formatted;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Lists the values that an edit changes, one line each, at most 20 of the payload and 20 of the headers. */
final class EditText {
    private static final int SHOWN = 20;
    private static final int WIDTH = 60;

    private EditText() {}

    static List<String> lines(List<JsonDifference> differences) {
        return Stream.of("payload", "headers")
                .flatMap(document -> lines(
                        document,
                        differences.stream()
                                .filter(difference -> difference.path().startsWith(document))
                                .toList())
                        .stream())
                .toList();
    }

    private static List<String> lines(String document, List<JsonDifference> differences) {
        List<String> lines = new ArrayList<>();
        differences.stream().limit(SHOWN).map(EditText::line).forEach(lines::add);
        if (differences.size() > SHOWN) {
            lines.add("  … and " + Formatted.counted(differences.size() - SHOWN, "more change") + " in " + document);
        }
        return lines;
    }

    private static String line(JsonDifference difference) {
        return "  " + Formatted.line(difference.path(), WIDTH) + ": "
                + (difference.isOnlyNotation()
                        ? "same value, different notation"
                        : shown(difference.from()) + " -> " + shown(difference.to()));
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "nothing" : Formatted.line(value.toString(), WIDTH);
    }
}
