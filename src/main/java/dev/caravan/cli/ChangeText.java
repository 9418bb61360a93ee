package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.failed.Selection;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The words of a command that changes messages, for its job, questions and results. */
record ChangeText(String action, String verb, String past, String participle, String reasonFor, Messages messages) {
    /**
     * The words for what is changed.
     *
     * @param noun {@code dead letter}
     * @param name the messages as a job names them: {@code dead letters}
     * @param otherChanges what may have happened to them since they were counted: {@code retried or discarded}
     */
    record Messages(String noun, String name, String otherChanges) {}

    /**
     * What a change has done.
     *
     * @param done number of messages changed and committed
     * @param changedMeanwhile number of messages skipped because they changed after they were selected
     */
    record Outcome(long done, long changedMeanwhile) {
        static final Outcome NOTHING = new Outcome(0, 0);
    }

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
        return Formatted.counted(set.size(), messages.noun()) + (each.isEmpty() ? "" : " (" + each + ")");
    }

    String changed(Selection set, Outcome outcome, boolean finished) {
        long remaining = set.size() - outcome.done() - outcome.changedMeanwhile();
        String skipped = outcome.changedMeanwhile() == 0
                ? ""
                : "; skipped " + number(outcome.changedMeanwhile()) + ", changed meanwhile (" + messages.otherChanges()
                        + ")";
        return (finished ? "" : "Interrupted: ") + capitalized(past) + " "
                + Formatted.counted(outcome.done(), messages.noun()) + skipped
                + (finished ? "." : "; " + number(remaining) + " not changed.");
    }

    String failed(long done) {
        return "Failed after " + Formatted.were(done, messages.noun()) + " " + participle
                + ". To see whether the last chunk was " + participle + " too, run: caravan audit list";
    }

    /** The result as JSON. */
    Map<String, Object> fields(Selection set, Outcome outcome, List<String> missing, boolean dryRun) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("matched", set.size());
        fields.put(camelCase(participle), outcome.done());
        fields.put("changedMeanwhile", outcome.changedMeanwhile());
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
