package dev.caravan.routes.check;

import dev.caravan.camel.headers.KafkaHeaderNames;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Finds the older names of Kafka's control headers in a route file. They work as the newer ones do. */
final class OlderHeaderNames {
    /** Also in a regular expression. */
    private static final Pattern NAME = Pattern.compile("\\bkafka(?:\\.|\\[\\.])([A-Z_]+)\\b");

    private static final Pattern COMMENT = Pattern.compile("\\s*(#|//|\\*).*");

    private OlderHeaderNames() {}

    /** A hint for each line. @param text of the file */
    static List<CheckResult> hints(String file, String text) {
        List<String> lines = text.lines().toList();
        List<CheckResult> hints = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (!COMMENT.matcher(lines.get(i)).matches()) {
                hints.addAll(inLine(new Place(file, i + 1), lines.get(i)));
            }
        }
        return hints;
    }

    private static List<CheckResult> inLine(Place place, String line) {
        return NAME.matcher(line)
                .results()
                .map(OlderHeaderNames::plain)
                .filter(name -> !KafkaHeaderNames.newer(name).equals(name))
                .map(name -> CheckResult.hint(
                        "routes",
                        place.toString(),
                        "the header " + name + " has the name " + KafkaHeaderNames.newer(name)
                                + " since Camel 4.18.3. Both work; write the newer one"))
                .distinct()
                .toList();
    }

    private static String plain(MatchResult found) {
        return "kafka." + found.group(1);
    }
}
