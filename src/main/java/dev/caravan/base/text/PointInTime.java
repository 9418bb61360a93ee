package dev.caravan.base.text;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a point in time as people write it: {@code 2h}, {@code 1d 12h ago}, {@code 2026-03-01}, {@code 2026-03-01 12:00:00 UTC}. */
public final class PointInTime {
    /** The accepted forms, for messages. */
    public static final String FORMS = "an ISO time, or an age such as 30m, 2h or 1d";

    private static final Pattern AGE = Pattern.compile("((\\d{1,6})\\s*([smhdw])\\s*){1,5}(ago)?");
    private static final Pattern PART = Pattern.compile("(\\d{1,6})\\s*([smhdw])");
    private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");
    private static final List<BiFunction<String, ZoneId, Instant>> ISO = List.of(
            (text, zone) -> OffsetDateTime.parse(text).toInstant(),
            (text, zone) -> LocalDateTime.parse(text).atZone(zone).toInstant(),
            (text, zone) -> LocalDate.parse(text).atStartOfDay(zone).toInstant());

    private PointInTime() {}

    /**
     * Parses a time.
     *
     * @param now the time from which an age counts
     * @param zone the zone of a time without one
     * @return empty if the text is not a time, or the time is not between 1970 and 9999
     */
    public static Optional<Instant> parse(String text, Instant now, ZoneId zone) {
        return value(text.strip(), now, zone).filter(time -> time.isAfter(Instant.EPOCH) && time.isBefore(LATEST));
    }

    private static Optional<Instant> value(String text, Instant now, ZoneId zone) {
        if (AGE.matcher(text).matches()) {
            return Optional.of(now.minus(age(text)));
        }
        String iso = text.replaceFirst("(?<=\\d) (?=\\d)", "T").replaceFirst(" ?UTC$", "Z");
        for (BiFunction<String, ZoneId, Instant> form : ISO) {
            try {
                return Optional.of(form.apply(iso, zone));
            } catch (DateTimeException e) {
                continue; // try the next form
            }
        }
        return Optional.empty();
    }

    private static Duration age(String text) {
        Matcher part = PART.matcher(text);
        Duration age = Duration.ZERO;
        while (part.find()) {
            age = age.plus(duration(Long.parseLong(part.group(1)), part.group(2)));
        }
        return age;
    }

    private static Duration duration(long number, String unit) {
        return switch (unit) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            case "d" -> Duration.ofDays(number);
            default -> Duration.ofDays(7 * number);
        };
    }
}
