package dev.caravan.partition;

import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long messages stay in the outbox at least, also when they are delivered everywhere.
 *
 * @param age empty: for ever
 */
public record Retention(Optional<Duration> age) {
    public static final Retention FOR_EVER = new Retention(Optional.empty());
    /** How a retention is written, for texts. */
    public static final String FORMS = "an age such as 12h, 7d or 4w, or off";

    private static final String SETTING = "caravan.retention";
    private static final Pattern AGE = Pattern.compile("(\\d{1,6})([smhdw])");

    public static Retention of(Duration age) {
        return new Retention(Optional.of(age));
    }

    /** With the setting {@code caravan.retention}. */
    public static Retention from(Settings settings) {
        String text = settings.text(SETTING, "7d");
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            throw new SettingsException(SETTING + " must be " + FORMS + ", got " + text);
        }
    }

    /** Reads each setting on its own, so that all wrong values can be told at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(Retention::from);
    }

    /** @throws IllegalArgumentException when it is written in another way */
    public static Retention parse(String text) {
        if (text.equals("off")) {
            return FOR_EVER;
        }
        Matcher age = AGE.matcher(text);
        if (!age.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not " + FORMS);
        }
        return of(Duration.ofSeconds(Long.parseLong(age.group(1)) * seconds(age.group(2))));
    }

    private static long seconds(String unit) {
        return switch (unit) {
            case "s" -> 1;
            case "m" -> 60;
            case "h" -> 3_600;
            case "d" -> 86_400;
            default -> 604_800;
        };
    }

    /** As it is written: {@code 7d}, {@code 90m}, {@code off}. */
    @Override
    public String toString() {
        return age.map(Retention::written).orElse("off");
    }

    private static String written(Duration age) {
        for (String unit : List.of("d", "h", "m")) {
            if (!age.isZero() && age.toSeconds() % seconds(unit) == 0) {
                return age.toSeconds() / seconds(unit) + unit;
            }
        }
        return age.toSeconds() + "s";
    }
}
