package dev.caravan.cli;

import dev.caravan.base.text.PointInTime;
import java.time.Instant;
import java.time.ZoneId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a point in time; one without a zone is local. */
final class TimeConverter implements ITypeConverter<Instant> {
    static final String FORMS = PointInTime.FORMS;

    @Override
    public Instant convert(String text) {
        return PointInTime.parse(text, Instant.now(), ZoneId.systemDefault())
                .orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is not a time. Give " + FORMS + "; a time without a zone is local"));
    }
}
