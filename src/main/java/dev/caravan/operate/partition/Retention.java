package dev.caravan.operate.partition;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.Span;
import java.time.Duration;
import java.util.Optional;

/**
 * The minimum time that messages stay in the outbox after they were created.
 *
 * @param age empty for no limit: messages are never pruned
 */
public record Retention(Optional<Duration> age) {
    public static final Retention UNLIMITED = new Retention(Optional.empty());
    /** The accepted forms, for error messages. */
    public static final String FORMS = "an age such as 12h, 7d or 30d, or off";

    private static final String SETTING = "caravan.retention";

    public static Retention of(Duration age) {
        return new Retention(Optional.of(age));
    }

    /** With the setting {@code caravan.retention}. */
    public static Retention from(Settings settings) {
        return from(settings, SETTING);
    }

    /** The retention in a setting or option of this name. */
    public static Retention from(Settings settings, String name) {
        String text = settings.text(name, "7d");
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            throw new SettingsException(name + " must be " + FORMS + ", got " + text);
        }
    }

    /** @throws IllegalArgumentException if the text has none of the accepted forms */
    public static Retention parse(String text) {
        if (text.equals("off")) {
            return UNLIMITED;
        }
        try {
            return of(Span.parse(text));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is not " + FORMS);
        }
    }

    /** In the form of the setting: {@code 7d}, {@code 90m}, {@code off}. */
    @Override
    public String toString() {
        return age.map(Retention::written).orElse("off");
    }

    private static String written(Duration age) {
        if (age.isZero() || age.toSeconds() % 60 != 0) {
            return age.toSeconds() + "s";
        }
        if (age.toMinutes() % 60 != 0) {
            return age.toMinutes() + "m";
        }
        return age.toHours() % 24 == 0 ? age.toDays() + "d" : age.toHours() + "h";
    }
}
