package dev.caravan.cli;

import dev.caravan.base.message.Key;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a key as it is printed: {@code order/77}. */
final class KeyConverter implements ITypeConverter<Key> {
    @Override
    public Key convert(String text) {
        return Key.parse(text)
                .orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is not a key. A key is TYPE/ID, for example order/77"));
    }
}
