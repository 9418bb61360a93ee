package dev.caravan.cli;

import dev.caravan.operate.failed.ErrorGroup;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a group of errors as it is printed. */
final class ErrorGroupConverter implements ITypeConverter<ErrorGroup> {
    @Override
    public ErrorGroup convert(String text) {
        return ErrorGroup.parse(text)
                .orElseThrow(
                        () -> new TypeConversionException(
                                "'" + text
                                        + "' is not a group. A group has 16 hexadecimal digits; caravan dead-letters groups shows them"));
    }
}
