package dev.caravan.routes.component;

import java.lang.module.ModuleDescriptor;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A version of a library, read as a semantic version: a minor version is compatible with earlier ones, a major version is not.
 *
 * @param major its first number; zero where there is none
 * @param minor its second number
 */
record Version(String text, long major, long minor) {
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    static Version of(String text) {
        List<Long> numbers = NUMBER.matcher(text)
                .results()
                .map(number -> Long.parseLong(
                        number.group().substring(0, Math.min(18, number.group().length()))))
                .toList();
        return new Version(text, numbers.isEmpty() ? 0 : numbers.get(0), numbers.size() < 2 ? 0 : numbers.get(1));
    }

    /** Whether code written for the other version should run with this one. Before 1.0 each minor version may be incompatible. */
    boolean isCompatibleWith(Version other) {
        return major == other.major && (major > 0 || minor == other.minor);
    }

    /** Whether its first two numbers are lower. */
    boolean isOlderThan(Version other) {
        return major < other.major || major == other.major && minor < other.minor;
    }

    /** Whether it is lower, comparing all parts. */
    boolean isBefore(Version other) {
        try {
            return ModuleDescriptor.Version.parse(text).compareTo(ModuleDescriptor.Version.parse(other.text)) < 0;
        } catch (IllegalArgumentException e) { // does not begin with a number
            return text.compareTo(other.text) < 0;
        }
    }
}
