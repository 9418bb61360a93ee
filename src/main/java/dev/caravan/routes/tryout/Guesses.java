package dev.caravan.routes.tryout;

import dev.caravan.base.message.Mask;
import dev.caravan.base.message.StoredContent;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a person has written into a message, whole and in parts. It may be a list of guesses of a masked value, which a route may send one by one:
 * if only the right one were masked, everybody could read it.
 */
public final class Guesses {
    private static final Pattern PARTS = Pattern.compile("[,;|\\r\\n\\t\"'{}\\[\\]<>]+");
    private static final Pattern WORDS = Pattern.compile("[,;|\\s\"'{}\\[\\]<>]+");
    private static final Pattern NO_WORD = Pattern.compile("[^\\p{L}\\p{N}]+");

    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,40}(?:\\.\\d{1,40})?(?:[eE][+-]?\\d{1,2})?");

    private Guesses() {}

    /** @param original before any person has edited it; empty if that is not known. What is masked there is not known to a person */
    public static Set<String> in(StoredContent now, StoredContent original, Mask mask) {
        Set<String> written = parts(now, document -> document);
        written.removeAll(parts(original, mask::hide));
        return written;
    }

    private static Set<String> parts(StoredContent content, UnaryOperator<String> shown) {
        Set<String> parts = new HashSet<>();
        Stream.of(content.headers(), content.payload())
                .flatMap(document -> document.stream())
                .flatMap(document -> Mask.texts(shown.apply(document)).stream())
                .forEach(text -> add(text, parts));
        content.bytes().ifPresent(bytes -> add(new String(bytes, StandardCharsets.UTF_8), parts));
        return parts;
    }

    private static void add(String text, Set<String> parts) {
        Stream.of(text, Unescaped.of(text).text()).distinct().forEach(each -> {
            parts.add(each.strip());
            Stream.of(PARTS, WORDS, NO_WORD)
                    .flatMap(pattern -> pattern.splitAsStream(each))
                    .map(String::strip)
                    .filter(part -> !part.isEmpty())
                    .forEach(part -> addEach(part, parts));
        });
    }

    /** A number also as a route may write it. */
    private static void addEach(String part, Set<String> parts) {
        parts.add(part);
        if (NUMBER.matcher(part).matches()) {
            BigDecimal number = new BigDecimal(part);
            parts.add(number.toPlainString());
            parts.add(number.stripTrailingZeros().toPlainString());
        }
    }
}
