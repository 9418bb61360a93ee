package dev.caravan.base.text;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.BitSet;
import java.util.HexFormat;
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

    private static final HexFormat PERCENT = HexFormat.of().withPrefix("%");

    private QuotedContent() {}

    /**
     * The text without a content. Takes time that is linear in the length of the text, times the least length, whatever may be escaped.
     *
     * @param least the number of characters of the content that must be quoted
     */
    static String hidden(String content, int least, String text) {
        String coded = Base64.getEncoder().withoutPadding().encodeToString(content.getBytes(StandardCharsets.UTF_8));
        return hiddenOnce(coded, least, hiddenOnce(content, least, text));
    }

    private static String hiddenOnce(String content, int least, String text) {
        StringBuilder shown = new StringBuilder();
        int[] ofContent = backslashes(content);
        int[] ofText = backslashes(text);
        int copied = 0;
        for (int at = 0; at <= text.length() - least; at++) {
            int end = end(content, ofContent, least, text, ofText, at);
            if (end > at) {
                shown.append(text, copied, at).append(ErrorText.HIDDEN);
                copied = end;
                at = end - 1;
            }
        }
        return copied == 0 ? text : shown.append(text, copied, text.length()).toString();
    }

    /** The place after what a text quotes of a content from a place on; that place if it is less than the least length. */
    private static int end(String content, int[] ofContent, int least, String text, int[] ofText, int at) {
        int read = 0;
        int end = at;
        while (read < content.length()) {
            int run = ofContent[read];
            if (run > 0 && ofText[end] >= run) {
                read += run;
                end = endOfRun(content, read, text, end + run, end + ofText[end]);
                continue;
            }
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

    /** How many backslashes there are from each place on. */
    private static int[] backslashes(String text) {
        int[] runs = new int[text.length() + 1];
        for (int at = text.length() - 1; at >= 0; at--) {
            runs[at] = text.charAt(at) == '\\' ? runs[at + 1] + 1 : 0;
        }
        return runs;
    }

    /** The place after a run of backslashes, of which the last may escape the next character of the content. Their number tells not how often they are escaped. */
    private static int endOfRun(String content, int read, String text, int least, int end) {
        int best = end;
        int most = end == least ? 0 : matching(content, read, text, end);
        for (int place = end - 1; place >= Math.max(least, end - MOST_BACKSLASHES); place--) {
            int matching = matching(content, read, text, place);
            if (matching > most) {
                most = matching;
                best = place;
            }
        }
        return best;
    }

    /** Whether a character is escaped that may also be there as it is: {@code &} and {@code &amp;}, which the content may have itself. */
    private static boolean isEscaped(String content, int read, String text, int plain, int escaped) {
        if (plain < 0 || escaped < 0) {
            return plain < 0;
        }
        int most = Math.min(AHEAD, content.length() - read);
        boolean isThere = text.regionMatches(plain, content, read, most); // also in a long run of backslashes
        return !isThere && matching(content, read, text, escaped) > matching(content, read, text, plain);
    }

    /** The number of characters of the content from a place on that a text quotes, up to a limit. */
    private static int matching(String content, int from, String text, int at) {
        BitSet places = new BitSet(); // where the next character may begin, from that place on
        places.set(0);
        int read = from;
        for (int count = 0; count < AHEAD && read < content.length(); count++) {
            int character = content.codePointAt(read);
            BitSet next = new BitSet();
            for (int place = places.nextSetBit(0); place >= 0; place = places.nextSetBit(place + 1)) {
                for (int end : new int[] {plain(character, text, at + place), escaped(character, text, at + place)}) {
                    if (end >= 0) {
                        next.set(end - at);
                    }
                }
            }
            if (next.isEmpty()) {
                return count;
            }
            places = next;
            read += Character.charCount(character);
        }
        return AHEAD;
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
        int next = afterRun(text, at);
        if (next == text.length()) {
            return -1;
        }
        int letter = "\n\r\t\b\f".indexOf(character);
        if (text.codePointAt(next) == (letter < 0 ? character : "nrtbf".charAt(letter))) {
            return next + Character.charCount(text.codePointAt(next));
        }
        int end = at;
        for (char unit : Character.toChars(character)) {
            end = end < 0 ? -1 : after("u" + HexFormat.of().toHexDigits(unit), text, afterRun(text, end));
        }
        return end;
    }

    private static int afterRun(String text, int at) {
        int end = at;
        while (end < text.length() && end - at < MOST_BACKSLASHES && text.charAt(end) == '\\') {
            end++;
        }
        return end;
    }

    private static int afterEntity(int character, String text, int at) {
        if (text.startsWith("&#", at)) {
            return Stream.of("#" + character, "#0" + character, "#x" + Integer.toHexString(character))
                    .mapToInt(entity -> after("&" + entity + ";", text, at))
                    .max()
                    .orElseThrow();
        }
        return switch (character) {
            case '"' -> after("&quot;", text, at);
            case '&' -> after("&amp;", text, at);
            case '<' -> after("&lt;", text, at);
            case '>' -> after("&gt;", text, at);
            case '\'' -> after("&apos;", text, at);
            default -> -1;
        };
    }

    private static String percentEncoded(int character) {
        return PERCENT.formatHex(Character.toString(character).getBytes(StandardCharsets.UTF_8));
    }
}
