package dev.caravan.routes.check;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.caravan.base.text.ErrorText;
import java.util.Locale;

/**
 * One result of {@code caravan check}.
 *
 * @param area settings, lib, routes, lanes, intakes, database or destinations
 * @param name the setting, file, intake or destination that was checked
 * @param text the result; for a problem also what to do
 */
@JsonPropertyOrder({"area", "name", "ok", "level", "text"})
public record CheckResult(String area, String name, Level level, String text) {
    /** A hint is about something that is allowed but may be a mistake. */
    public enum Level {
        OK,
        HINT,
        PROBLEM;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Hides logins: a wrong setting is quoted, which may be an address with one. */
    public CheckResult {
        text = ErrorText.withoutLogins(text);
    }

    /** Whether it is no problem. */
    @JsonProperty
    public boolean ok() {
        return level != Level.PROBLEM;
    }

    CheckResult with(String otherText) {
        return new CheckResult(area, name, level, otherText);
    }

    /** Whether it is about the settings, the jars in {@code lib} or the routes. A relay does not start with a problem there. */
    @JsonIgnore
    public boolean isConfiguration() {
        return area.equals("settings") || area.equals("lib") || area.equals("routes");
    }

    public static CheckResult ok(String area, String name, String text) {
        return new CheckResult(area, name, Level.OK, text);
    }

    public static CheckResult hint(String area, String name, String text) {
        return new CheckResult(area, name, Level.HINT, text);
    }

    public static CheckResult problem(String area, String name, String text) {
        return new CheckResult(area, name, Level.PROBLEM, text);
    }
}
