package dev.caravan.base.settings;

import dev.caravan.base.message.Mask;
import dev.caravan.base.text.ErrorText;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Hides the secrets of URLs of databases where a driver quotes parts of a URL. It takes a login that is in a wrong place for a host, a port or the
 * name of the database, so no name in its text says that it is one.
 */
public final class UrlSecrets {
    private static final Pattern KIND = Pattern.compile("(?i)jdbc:(?:[a-z][\\w+-]*:)*[/@]*");

    /** What is before the last at sign, unless a parameter is before it: the user and the password, or only one of them. */
    private static final Pattern LOGIN =
            Pattern.compile("(?is)(?:[^:/@%]*(?:[:/]|%3a))?((?:(?![?;&(][\\w.-]+=).)*)(?:@|%40)");

    /** What is in the place of a port. */
    private static final Pattern NO_PORT = Pattern.compile("^[^/?;&\\[]*?:(?!\\d{0,5}(?:[/:,;?&]|$))([^/?;&]+)");

    /** A value goes on after a separator if no name follows. */
    private static final Pattern PARAMETER =
            Pattern.compile("(?<=[?;&,(])([\\w.-]+)=([^?;&]*(?:[?;&][^?;&=]*(?=[?;&]|$))*)", Pattern.CASE_INSENSITIVE);

    private static final Pattern NO_WORD = Pattern.compile("[^\\p{L}\\p{N}]+");

    /** Found by itself, it would hide parts of any text. */
    private static final int SHORTEST_WORD = 2;

    private UrlSecrets() {}

    /** The text of a driver without the secrets of these URLs. What is no URL of a database has none. */
    public static String without(Stream<String> urls, String text) {
        String anyOf = urls.filter(url -> url != null && KIND.matcher(url).lookingAt())
                .flatMap(UrlSecrets::secrets)
                .distinct()
                .sorted(Comparator.comparing(String::length).reversed())
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        return anyOf.isEmpty()
                ? text
                : Pattern.compile(
                                "(?:(?<![\\p{L}\\p{N}])|(?<=%\\p{XDigit}{2}))(?:" + anyOf + ")(?![\\p{L}\\p{N}])",
                                Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
                        .matcher(text)
                        .replaceAll(Mask.HIDDEN);
    }

    /** The secrets and their words, as written and decoded, without those that are in other places of the URL too, such as the name of the user. */
    private static Stream<String> secrets(String url) {
        Matcher kind = KIND.matcher(url);
        String address = kind.lookingAt() ? url.substring(kind.end()) : url;
        List<MatchResult> found = found(address);
        StringBuilder rest = new StringBuilder(address);
        Set<String> secrets = new HashSet<>();
        for (MatchResult each : found) {
            int group = each.groupCount();
            secrets.add(each.group(group));
            for (int at = each.start(group); at < each.end(group); at++) {
                rest.setCharAt(at, ' ');
            }
        }
        Predicate<String> isOther = words(rest.toString()).collect(Collectors.toSet())::contains;
        return secrets.stream()
                .flatMap(secret -> Stream.of(secret, decoded(secret)))
                .flatMap(secret -> Stream.concat(Stream.of(secret), words(secret)))
                .filter(secret -> secret.length() >= SHORTEST_WORD && !isOther.test(secret.toLowerCase(Locale.ROOT)));
    }

    private static List<MatchResult> found(String address) {
        Matcher login = LOGIN.matcher(address);
        Matcher port = NO_PORT.matcher(address);
        Stream<MatchResult> parameters =
                PARAMETER.matcher(address).results().filter(parameter -> ErrorText.isSecretName(parameter.group(1)));
        if (login.lookingAt()) {
            return Stream.concat(Stream.of(login.toMatchResult()), parameters).toList();
        }
        return port.find()
                ? Stream.concat(Stream.of(port.toMatchResult()), parameters).toList()
                : parameters.toList();
    }

    private static Stream<String> words(String text) {
        return Arrays.stream(NO_WORD.split(text.toLowerCase(Locale.ROOT)));
    }

    private static String decoded(String secret) {
        try {
            return URLDecoder.decode(secret, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return secret; // a percent sign that is no escape
        }
    }
}
