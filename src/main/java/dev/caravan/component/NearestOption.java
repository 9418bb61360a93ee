package dev.caravan.component;

import java.util.Collection;
import java.util.Comparator;

/** The option of an outbox endpoint whose name is most like a mistyped one, by the fewest letters to add or take away. */
final class NearestOption {
    private NearestOption() {}

    static String to(String unknown, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(option -> distance(unknown, option)))
                .orElseThrow();
    }

    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 2;
                current[j] = Math.min(Math.min(current[j - 1], previous[j]) + 1, previous[j - 1] + change);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
