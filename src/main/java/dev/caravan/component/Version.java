package dev.caravan.component;

import java.util.List;
import java.util.regex.Pattern;

/** The first two numbers of a version; zero where there is none. */
record Version(long major, long minor) {
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    static Version of(String text) {
        List<Long> numbers = NUMBER.matcher(text)
                .results()
                .map(number -> Long.parseLong(
                        number.group().substring(0, Math.min(18, number.group().length()))))
                .toList();
        return new Version(numbers.isEmpty() ? 0 : numbers.get(0), numbers.size() < 2 ? 0 : numbers.get(1));
    }

    /** Whether a program written for the other one can be expected to run with this one. Before 1.0 each minor version may break it. */
    boolean serves(Version other) {
        return major == other.major && (major > 0 || minor == other.minor);
    }

    boolean isOlderThan(Version other) {
        return major < other.major || major == other.major && minor < other.minor;
    }
}
