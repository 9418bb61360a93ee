package dev.caravan.adopt.intake;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What Postgres can store as text. */
final class Texts {
    private Texts() {}

    /** Why Postgres cannot store a text; empty if it can. */
    static Optional<String> problem(String text) {
        if (text.indexOf('\0') >= 0) {
            return Optional.of("contains the character NUL, which Postgres cannot store");
        }
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (Character.isHighSurrogate(each)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(each)) {
                return Optional.of("contains half of a character (an unpaired surrogate)");
            }
        }
        return Optional.empty();
    }

    /** A text with the character U+FFFD instead of what Postgres cannot store. */
    static String storable(String text) {
        if (problem(text).isEmpty()) {
            return text;
        }
        StringBuilder storable = new StringBuilder();
        text.codePoints()
                .map(each ->
                        each == 0 || each >= Character.MIN_SURROGATE && each <= Character.MAX_SURROGATE ? 0xfffd : each)
                .forEach(storable::appendCodePoint);
        return storable.toString();
    }

    /** The begin of a text that has at most this number of bytes in UTF-8. */
    static String bounded(String text, int bytes) {
        int end = 0;
        long size = 0;
        while (end < text.length()) {
            int point = text.codePointAt(end);
            size += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (size > bytes) {
                return text.substring(0, end);
            }
            end += Character.charCount(point);
        }
        return text;
    }

    /** The number of bytes in UTF-8. */
    static long bytes(CharSequence text) {
        long size = 0;
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            // each half of a surrogate pair counts two of its four bytes
            size += each < 0x80 ? 1 : each < 0x800 || Character.isSurrogate(each) ? 2 : 3;
        }
        return size;
    }

    /** The text of bytes in UTF-8; empty if they are something else. */
    static Optional<String> utf8(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
