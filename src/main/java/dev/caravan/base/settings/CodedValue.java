package dev.caravan.base.settings;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The texts from which a value can be read although it does not occur in them: in Base64, also within a longer text such as a login; as
 * hexadecimal digits; and its usual hashes. A phone number or a mail address is found from its hash by trying all likely ones.
 */
final class CodedValue {
    private static final List<String> HASHES = List.of("MD5", "SHA-1", "SHA-256", "SHA-512");

    /** In a shorter value, a few letters of another text would be taken for its code. */
    private static final int SHORTEST = 5;

    private CodedValue() {}

    static Stream<String> of(String value) {
        Stream<String> hashes = Stream.of(value, value.toLowerCase(Locale.ROOT))
                .distinct()
                .flatMap(text -> HASHES.stream().map(hash -> hash(hash, text)))
                .flatMap(hash -> Stream.concat(digits(hash), base64(hash, 0)));
        return value.length() < SHORTEST ? hashes : Stream.concat(hashes, codes(bytes(value)));
    }

    private static Stream<String> codes(byte[] value) {
        return Stream.concat(digits(value), IntStream.range(0, 3).boxed().flatMap(before -> base64(value, before)));
    }

    private static Stream<String> digits(byte[] bytes) {
        return Stream.of(HexFormat.of().formatHex(bytes));
    }

    /** The characters of Base64 that depend on these bytes alone, at the end of a text or not. @param before number of bytes before them */
    private static Stream<String> base64(byte[] bytes, int before) {
        byte[] all = new byte[before + bytes.length];
        System.arraycopy(bytes, 0, all, before, bytes.length);
        String coded = Base64.getEncoder().encodeToString(all);
        int begin = (before * 8 + 5) / 6;
        return Stream.of(
                        coded.substring(begin),
                        coded.substring(begin).replace("=", ""),
                        coded.substring(begin, all.length * 8 / 6))
                .flatMap(text -> Stream.of(text, text.replace('+', '-').replace('/', '_')));
    }

    private static byte[] hash(String algorithm, String text) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Java always has them
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
