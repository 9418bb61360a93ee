package dev.caravan.base.settings;

import dev.caravan.base.message.Mask;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A text without the escapes of JSON, HTML, XML, forms and addresses, in lower case, so that a value is found in each encoding. A plus is a space,
 * which is what it means in a form; a backslash alone is left out.
 */
public final class Unescaped {
    private static final Pattern ESCAPE = Pattern.compile(
            "\\\\u(?<json>[0-9a-fA-F]{4})|\\\\(?<control>[nrtbf])"
                    + "|(?<bytes>%[0-7]\\p{XDigit}|%[c-dC-D]\\p{XDigit}(?:%[89abAB]\\p{XDigit})"
                    + "|%[eE]\\p{XDigit}(?:%[89abAB]\\p{XDigit}){2}|%[fF][0-7](?:%[89abAB]\\p{XDigit}){3})"
                    + "|&(?:#(?<decimal>\\d{1,7})|#[xX](?<hex>\\p{XDigit}{1,6})|(?<name>amp|lt|gt|quot|apos|nbsp));|(?<none>\\\\)");

    private static final Map<String, String> CHARACTERS = Map.ofEntries(
            Map.entry("n", "\n"),
            Map.entry("r", "\r"),
            Map.entry("t", "\t"),
            Map.entry("b", "\b"),
            Map.entry("f", "\f"),
            Map.entry("amp", "&"),
            Map.entry("lt", "<"),
            Map.entry("gt", ">"),
            Map.entry("quot", "\""),
            Map.entry("apos", "'"),
            Map.entry("nbsp", " "));

    private final String original;
    private final StringBuilder plain = new StringBuilder();
    /** Where each character of the plain text begins and ends in the original. */
    private final int[] begins;

    private final int[] ends;

    private Unescaped(String original) {
        this.original = original;
        begins = new int[original.length()]; // no escape is shorter than what it stands for
        ends = new int[original.length()];
    }

    /** The text without escapes. */
    public static Unescaped of(String text) {
        Unescaped unescaped = new Unescaped(text);
        Matcher escape = ESCAPE.matcher(text);
        int at = 0;
        while (escape.find()) {
            unescaped.addEach(text, at, escape.start());
            unescaped.add(decoded(escape), escape.start(), escape.end());
            at = escape.end();
        }
        unescaped.addEach(text, at, text.length());
        return unescaped;
    }

    private void addEach(String text, int from, int to) {
        for (int at = from; at < to; at++) {
            add(text.substring(at, at + 1), at, at + 1);
        }
    }

    private void add(String characters, int begin, int end) {
        for (char each : characters.toCharArray()) {
            begins[plain.length()] = begin;
            ends[plain.length()] = end;
            plain.append(each == '+' || each == '\u00a0' ? ' ' : Character.toLowerCase(Character.toUpperCase(each)));
        }
    }

    private static String decoded(Matcher escape) {
        if (escape.group("json") != null) {
            return Character.toString((char) Integer.parseInt(escape.group("json"), 16));
        }
        if (escape.group("bytes") != null) {
            return utf8(escape.group("bytes"));
        }
        if (escape.group("decimal") != null) {
            return character(Integer.parseInt(escape.group("decimal")));
        }
        if (escape.group("hex") != null) {
            return character(Integer.parseInt(escape.group("hex"), 16));
        }
        String name = escape.group("control") == null ? escape.group("name") : escape.group("control");
        return name == null ? "" : CHARACTERS.get(name);
    }

    private static String utf8(String percents) {
        byte[] bytes = new byte[percents.length() / 3];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(percents.substring(3 * i + 1, 3 * i + 3), 16);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String character(int codePoint) {
        return Character.isValidCodePoint(codePoint) ? Character.toString(codePoint) : "";
    }

    /** The whole text without escapes. */
    public String text() {
        return plain.toString();
    }

    /** All forms of values, in which {@link #find} finds them: as they are, in a form, escaped, and coded. */
    public static Stream<String> forms(String value) {
        return Stream.concat(Stream.of(value, inForm(value), escaped(value)), CodedValue.of(value))
                .map(form -> of(form).text())
                .filter(form -> !form.isEmpty());
    }

    /** The value as it is encoded in a form. */
    private static String inForm(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** The value as it is escaped in HTML and XML. */
    private static String escaped(String value) {
        return value.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** A text with the mask in place of what is hidden. */
    public static String masked(String text, BitSet hidden) {
        StringBuilder masked = new StringBuilder();
        int at = 0;
        for (int from = hidden.nextSetBit(0); from >= 0; from = hidden.nextSetBit(at)) {
            masked.append(text, at, from).append(Mask.HIDDEN);
            at = hidden.nextClearBit(from);
        }
        return masked.append(text, at, text.length()).toString();
    }

    /** Adds the places of the original where one of the plain texts occurs. */
    public void find(Iterable<String> values, BitSet places) {
        String text = text();
        for (String value : values) {
            for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
                add(at, at + value.length(), places);
            }
        }
    }

    /** The same for patterns: what their first group matches, if they have one. A value of a query, after ? or &, ends at a space. */
    public void match(Iterable<Pattern> patterns, BitSet places) {
        for (Pattern pattern : patterns) {
            Matcher found = pattern.matcher(plain);
            while (found.find()) {
                int group = Math.min(1, found.groupCount());
                boolean isQuery = "?&".indexOf(plain.charAt(found.start())) >= 0;
                add(
                        found.start(group),
                        isQuery ? space(found.start(group), found.end(group)) : found.end(group),
                        places);
            }
        }
    }

    /** The first place with a space that is one in the original too, not a plus; otherwise the end. */
    private int space(int from, int end) {
        return IntStream.range(from, end)
                .filter(at -> Character.isWhitespace(original.charAt(begins[at])))
                .findFirst()
                .orElse(end);
    }

    private void add(int from, int to, BitSet places) {
        places.set(begins[from], Arrays.stream(ends, from, to).max().orElse(begins[from]));
    }
}
