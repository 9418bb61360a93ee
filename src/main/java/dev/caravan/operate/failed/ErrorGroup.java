package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.caravan.database.Column;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Identifies a group of dead letters whose errors have the same class and the same pattern; in text, 16 hexadecimal digits. */
public record ErrorGroup(@Column("error_group") long hash) {
    private static final Pattern TEXT = Pattern.compile("[0-9a-f]{16}");

    /** Empty if the text is not a group. */
    public static Optional<ErrorGroup> parse(String text) {
        return TEXT.matcher(text).matches()
                ? Optional.of(new ErrorGroup(Long.parseUnsignedLong(text, 16)))
                : Optional.empty();
    }

    @JsonValue
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%016x", hash);
    }
}
