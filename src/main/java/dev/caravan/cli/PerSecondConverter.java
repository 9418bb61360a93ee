package dev.caravan.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a number of messages per second: {@code 50} or {@code 50/s}. */
final class PerSecondConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        try {
            return Integer.valueOf(text.endsWith("/s") ? text.substring(0, text.length() - 2) : text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' is not a rate such as 50 or 50/s");
        }
    }
}
