package dev.caravan.cli;

import dev.caravan.deadletter.FrozenSet;
import dev.caravan.deadletter.Sweep;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is said about dead letters that will be or were changed.
 *
 * @param verb {@code retry}
 * @param done {@code retried}
 */
record ChangeText(String verb, String done) {
    /** {@code Retry 1,235 dead letters (email: 1, sms: 1,234)}. */
    String question(FrozenSet set) {
        return capitalized(verb) + " " + described(set);
    }

    String wouldChange(FrozenSet set) {
        return "Would " + verb + " " + described(set) + ". Nothing was changed.";
    }

    private static String described(FrozenSet set) {
        String each = set.counts().entrySet().stream()
                .map(count -> count.getKey() + ": " + number(count.getValue()))
                .collect(Collectors.joining(", "));
        return Humane.counted(set.size(), "dead letter") + (each.isEmpty() ? "" : " (" + each + ")");
    }

    String changed(FrozenSet set, Sweep sweep, boolean whole) {
        long left = set.size() - sweep.done() - sweep.gone();
        String gone = sweep.gone() == 0
                ? ""
                : "; " + number(sweep.gone())
                        + " changed meanwhile (retried, discarded, or dead again) and were left alone";
        return (whole ? "" : "Interrupted: ") + capitalized(done) + " " + Humane.counted(sweep.done(), "dead letter")
                + gone + (whole ? "." : "; " + number(left) + " were not touched.");
    }

    String failed(Sweep sweep) {
        return "Failed after " + Humane.counted(sweep.done(), "dead letter") + " were " + done
                + "; whether the chunk at work was " + done + " too, the audit says (caravan audit list).";
    }

    Map<String, Object> counted(FrozenSet set, List<String> missing, boolean dryRun) {
        return fields(set.size(), 0, 0, missing, dryRun);
    }

    Map<String, Object> fields(FrozenSet set, Sweep sweep, List<String> missing) {
        return fields(set.size(), sweep.done(), sweep.gone(), missing, false);
    }

    private Map<String, Object> fields(long matched, long changed, long gone, List<String> missing, boolean dryRun) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("matched", matched);
        fields.put(done, changed);
        fields.put("changedMeanwhile", gone);
        fields.put("missing", missing);
        fields.put("dryRun", dryRun);
        return fields;
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String capitalized(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
