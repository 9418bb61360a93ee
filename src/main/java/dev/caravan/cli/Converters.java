package dev.caravan.cli;

import dev.caravan.base.message.Key;
import dev.caravan.base.text.PointInTime;
import dev.caravan.operate.failed.ErrorGroup;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Parses values of options: points in time, keys and groups of errors. */
final class Converters {
    private Converters() {}

    /** Adds them to a command and its subcommands. */
    static void addTo(CommandLine line) {
        line.registerConverter(Instant.class, Converters::time);
        line.registerConverter(
                Key.class, text -> required(Key.parse(text), text, "a key. A key is TYPE/ID, for example order/77"));
        line.registerConverter(
                ErrorGroup.class,
                text -> required(
                        ErrorGroup.parse(text),
                        text,
                        "a group. A group has 16 hexadecimal digits; caravan dead-letters groups shows them"));
    }

    /** A time without a zone is local. */
    static Instant time(String text) {
        return required(
                PointInTime.parse(text, Instant.now(), ZoneId.systemDefault()),
                text,
                "a time. Give " + PointInTime.FORMS + "; a time without a zone is local");
    }

    private static <T> T required(Optional<T> parsed, String text, String kind) {
        return parsed.orElseThrow(() -> new TypeConversionException("'" + text + "' is not " + kind));
    }
}
