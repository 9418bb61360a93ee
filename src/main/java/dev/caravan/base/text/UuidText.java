package dev.caravan.base.text;

import java.util.regex.Pattern;

/** Recognizes the canonical form of a UUID, which Postgres and Java write. {@link java.util.UUID#fromString} also accepts shorter groups. */
public final class UuidText {
    private static final Pattern FORM =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private UuidText() {}

    public static boolean isUuid(String text) {
        return FORM.matcher(text).matches();
    }
}
