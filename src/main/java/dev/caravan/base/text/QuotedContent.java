package dev.caravan.base.text;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Finds the content of a message where the text of an error quotes it: as it is, as JSON, HTML, a form or a URL write it, also mixed and JSON within JSON,
 * and in Base64.
 */
final class QuotedContent {
    /** The most backslashes before a character: JSON within JSON doubles them. */
    private static final int MOST_BACKSLASHES = 16;

    /** The number of characters that are compared to decide whether one is escaped. */
    private static final int AHEAD = 24;

    private QuotedContent() {}

    /**
     * The text without a content. Takes time that is linear in the length of the text, times the least length.
     *
     * @param least the number of characters of the content that must be quoted
     */
    static String hidden(String content, int least, String text) {
        String coded = Base64.getEncoder().withoutPadding().encodeToString(content.getBytes(StandardCharsets.UTF_8));
        return hiddenOnce(coded, least, hiddenOnce(content, least, text));
    }

    private static String hiddenOnce(String content, int least, String text) {
        StringBuilder shown = new StringBuilder();
        int copied = 0;
        for (int at = 0; at <= text.length() - least; at++) {
            int end = end(content, least, text, at);
            if (end > at) {
                shown.append(text, copied, at).append(ErrorText.HIDDEN);
                copied = end;
                at = end - 1;
            }
        }
        return copied == 0 ? text : shown.append(text, copied, text.length()).toString();
    }

    /** The place after what a text quotes of a content from a place on; that place if it is less than the least length. */
    private static int end(String content, int least, String text, int at) {
        int read = 0;
        int end = at;
        while (read < content.length()) {
            int character = content.codePointAt(read);
            int rest = read + Character.charCount(character);
            int plain = plain(character, text, end);
            int escaped = escaped(character, text, end);
            if (plain < 0 && escaped < 0) {
                break;
            }
            end = isEscaped(content, rest, text, plain, escaped) ? escaped : plain;
            read = rest;
        }
        return read < least ? at : end;
    }

    /** Whether a character is escaped that may also be there as it is: {@code &} and {@code &amp;}, which the content may have itself. */
    private static boolean isEscaped(String content, int read, String text, int plain, int escaped) {
        return plain < 0
                || escaped >= 0
                        && matching(content, read, text, escaped, AHEAD) > matching(content, read, text, plain, AHEAD);
    }

    /** The number of characters of the content from a place on that a text quotes, up to a limit. */
    private static int matching(String content, int read, String text, int at, int most) {
        if (at < 0 || most == 0 || read == content.length()) {
            return 0;
        }
        int character = content.codePointAt(read);
        int rest = read + Character.charCount(character);
        int plain = plain(character, text, at);
        int escaped = escaped(character, text, at);
        return plain < 0 && escaped < 0
                ? 0
                : 1
                        + Math.max(
                                matching(content, rest, text, plain, most - 1),
                                matching(content, rest, text, escaped, most - 1));
    }

    /** The place after a character that is at a place as it is; -1 if it is not. */
    private static int plain(int character, String text, int at) {
        return at < text.length() && text.codePointAt(at) == character ? at + Character.charCount(character) : -1;
    }

    /** The place after a character that is written at a place in another way; -1 if it is not. */
    private static int escaped(int character, String text, int at) {
        if (at >= text.length()) {
            return -1;
        }
        return switch (text.charAt(at)) {
            case '\\' -> afterBackslashes(character, text, at);
            case '&' -> afterEntity(character, text, at);
            case '%' -> after(percentEncoded(character), text, at);
            case '+' -> character == ' ' ? at + 1 : -1;
            default -> -1;
        };
    }

    private static int after(String spelling, String text, int at) {
        return text.regionMatches(true, at, spelling, 0, spelling.length()) ? at + spelling.length() : -1;
    }

    private static int afterBackslashes(int character, String text, int at) {
        int next = at;
        while (next < text.length() && next - at < MOST_BACKSLASHES && text.charAt(next) == '\\') {
            next++;
        }
        if (next == text.length()) {
            return -1;
        }
        int letter = "\n\r\t\b\f".indexOf(character);
        if (text.codePointAt(next) == (letter < 0 ? character : "nrtbf".charAt(letter))) {
            return next + Character.charCount(text.codePointAt(next));
        }
        return after(unicode(character), text, next);
    }

    private static String unicode(int character) {
        StringBuilder escapes = new StringBuilder();
        for (char unit : Character.toChars(character)) {
            escapes.append(escapes.isEmpty() ? "u" : "\\u").append(String.format(Locale.ROOT, "%04x", (int) unit));
        }
        return escapes.toString();
    }

    private static int afterEntity(int character, String text, int at) {
        String name =
                switch (character) {
                    case '"' -> "quot";
                    case '&' -> "amp";
                    case '<' -> "lt";
                    case '>' -> "gt";
                    case '\'' -> "apos";
                    default -> "";
                };
        return Stream.of(name, "#" + character, "#0" + character, "#x" + Integer.toHexString(character))
                .mapToInt(entity -> after("&" + entity + ";", text, at))
                .max()
                .orElseThrow();
    }

    private static String percentEncoded(int character) {
        StringBuilder encoded = new StringBuilder();
        for (byte part : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
            encoded.append(String.format(Locale.ROOT, "%%%02X", part));
        }
        return encoded.toString();
    }
}
