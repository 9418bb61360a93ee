package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.operate.partition.Retention;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code --older-than}: a retention that overrides the setting {@code caravan.retention}. */
final class RetentionOption {
    @Option(
            names = "--older-than",
            paramLabel = "AGE",
            converter = AgeConverter.class,
            description = "Minimum age, such as 12h, 7d or 30d. Default: the setting caravan.retention.")
    private Retention olderThan;

    Retention in(Settings settings) {
        return olderThan == null ? Retention.from(settings) : olderThan;
    }

    /** Parses an age. Refuses {@code off}, which has no meaning for this option. */
    static final class AgeConverter implements ITypeConverter<Retention> {
        @Override
        public Retention convert(String text) {
            try {
                Retention retention = Retention.parse(text);
                if (retention.age().isPresent()) {
                    return retention;
                }
            } catch (IllegalArgumentException e) {
                // reported below
            }
            throw new TypeConversionException("'" + text + "' is not an age such as 12h, 7d or 30d");
        }
    }
}
