package dev.caravan.base.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name nearest to a mistyped one. */
public final class NearestName {
    private NearestName() {}

    /** The minimum length of a typed name that is recognized as a part of a known name. */
    private static final int PART = 4;

    /** The minimum length of a typed name that can be misspelt: a shorter one resembles others by chance. */
    private static final int DISTINCT = 6;

    /** The nearest known name that differs in few letters, or else the only one that contains the typed name; empty if there is none. */
    public static Optional<String> to(String typed, Collection<String> known) {
        return known.stream()
                .min(Comparator.<String>comparingInt(name -> distance(typed, name))
                        .thenComparing(Comparator.comparingInt(String::length)
                                .reversed())) // omitting a letter is the more likely mistake
                .filter(name -> distance(typed, name) <= Math.max(2, typed.length() / 3))
                .or(() -> containing(typed, known));
    }

    /** {@code , did you mean sms?}, or another text if no known name is near. */
    public static String suggestion(String typed, Collection<String> known, String otherwise) {
        return to(typed, known).map(near -> ", did you mean " + near + "?").orElse(otherwise);
    }

    /** For a typed name that is valid itself: the known name that differs by one or two letters; empty if there is none, or it is short. */
    public static Optional<String> misspelt(String typed, Collection<String> known) {
        return known.stream()
                .filter(name -> typed.length() >= DISTINCT && distance(typed, name) <= 2)
                .min(Comparator.comparingInt(name -> distance(typed, name)));
    }

    private static Optional<String> containing(String typed, Collection<String> known) {
        String part = typed.toLowerCase(Locale.ROOT);
        List<String> names = known.stream()
                .filter(name ->
                        part.length() >= PART && name.toLowerCase(Locale.ROOT).contains(part))
                .distinct()
                .toList();
        return names.size() == 1 ? Optional.of(names.get(0)) : Optional.empty();
    }

    /** Levenshtein distance, ignoring case. */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                boolean same = Character.toLowerCase(a.charAt(i - 1)) == Character.toLowerCase(b.charAt(j - 1));
                int replaced = previous[j - 1] + (same ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
