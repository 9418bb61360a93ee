package dev.caravan.operate.watch;

import dev.caravan.base.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The setting {@code caravan.notices}. */
public final class NoticeSettings {
    public static final String SETTING = "caravan.notices";

    private NoticeSettings() {}

    /** The time between two notices about a problem that lasts; empty if no notices are written, which is the default. */
    public static Optional<Duration> repeat(Settings settings) {
        if (settings.text(SETTING, "off").equals("off")) {
            return Optional.empty();
        }
        return Optional.of(settings.duration(SETTING, "4h", "10m", "30d"));
    }

    /** One reader for each setting, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(NoticeSettings::repeat);
    }
}
