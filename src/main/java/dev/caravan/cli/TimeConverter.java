package dev.caravan.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a point in time: {@code 2h}, {@code 1d ago}, {@code 2026-03-01} or {@code 2026-03-01T12:00:00Z}. */
final class TimeConverter implements ITypeConverter<Instant> {
    static final String FORMS = "an ISO time, or an age such as 30m, 2h or 1d";
    private static final Pattern AGE = Pattern.compile("(\\d{1,6})\\s*([smhdw])(\\s+ago)?");
    private static final List<Function<String, Instant>> ISO = List.of(
            text -> OffsetDateTime.parse(text).toInstant(),
            text -> LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toInstant(),
            text -> LocalDate.parse(text).atStartOfDay(ZoneId.systemDefault()).toInstant());

    @Override
    public Instant convert(String text) {
        Matcher age = AGE.matcher(text.strip());
        if (age.matches()) {
            return Instant.now().minus(duration(Long.parseLong(age.group(1)), age.group(2)));
        }
        for (Function<String, Instant> form : ISO) {
            try {
                return form.apply(text.strip());
            } catch (DateTimeException e) {
                continue; // try the next form
            }
        }
        throw new TypeConversionException(
                "'" + text + "' is not a time. Give " + FORMS + "; a time without a zone is local");
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
