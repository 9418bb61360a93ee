package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.failed.BulkChange;
import dev.caravan.operate.failed.Selection;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The wording of a command that changes messages, for its questions and results.
 *
 * @param verb {@code give up}
 * @param past {@code gave up}
 * @param participle {@code given up}
 * @param noun {@code dead letter}
 * @param otherChanges what may have happened to the messages since they were counted: {@code retried or discarded}
 */
record ChangeText(String verb, String past, String participle, String noun, String otherChanges) {
    /** {@code Retry 1,235 dead letters (email: 1, sms: 1,234)}. */
    String question(Selection set) {
        return capitalized(verb) + " " + described(set);
    }

    String wouldChange(Selection set) {
        return "Would " + verb + " " + described(set) + ". Nothing was changed.";
    }

    private String described(Selection set) {
        String each = set.counts().entrySet().stream()
                .map(count -> count.getKey() + ": " + number(count.getValue()))
                .collect(Collectors.joining(", "));
        return Formatted.counted(set.size(), noun) + (each.isEmpty() ? "" : " (" + each + ")");
    }

    String changed(Selection set, BulkChange sweep, boolean finished) {
        long remaining = set.size() - sweep.done() - sweep.changedMeanwhile();
        String skipped = sweep.changedMeanwhile() == 0
                ? ""
                : "; skipped " + number(sweep.changedMeanwhile()) + ", changed meanwhile (" + otherChanges + ")";
        return (finished ? "" : "Interrupted: ") + capitalized(past) + " "
                + Formatted.counted(sweep.done(), noun) + skipped
                + (finished ? "." : "; " + number(remaining) + " not changed.");
    }

    String failed(BulkChange sweep) {
        return "Failed after " + Formatted.were(sweep.done(), noun) + " " + participle
                + ". To see whether the last chunk was " + participle + " too, run: caravan audit list";
    }

    Map<String, Object> counted(Selection set, List<String> missing, boolean dryRun) {
        return fields(set.size(), 0, 0, missing, dryRun);
    }

    Map<String, Object> fields(Selection set, BulkChange sweep, List<String> missing) {
        return fields(set.size(), sweep.done(), sweep.changedMeanwhile(), missing, false);
    }

    private Map<String, Object> fields(long matched, long changed, long skipped, List<String> missing, boolean dryRun) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("matched", matched);
        fields.put(camelCase(participle), changed);
        fields.put("changedMeanwhile", skipped);
        fields.put("missing", missing);
        fields.put("dryRun", dryRun);
        return fields;
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** {@code givenUp}. */
    private static String camelCase(String words) {
        String[] each = words.split(" ");
        return each[0]
                + Arrays.stream(each).skip(1).map(ChangeText::capitalized).collect(Collectors.joining());
    }

    private static String capitalized(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
