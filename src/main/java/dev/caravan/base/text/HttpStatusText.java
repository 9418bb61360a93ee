package dev.caravan.base.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts the HTTP status of a failed attempt first. Camel writes it after the URL, which may be longer than a column. */
public final class HttpStatusText {
    private static final Pattern HTTP_FAILURE =
            Pattern.compile("HTTP operation failed invoking (.*?) with statusCode: (\\d{3})");

    private HttpStatusText() {}

    /**
     * The class without its package and the text: {@code HttpOperationFailedException: 422 from http://shop}. The text alone if the class is
     * empty.
     */
    public static String error(String errorClass, String errorText) {
        String simple = errorClass.substring(errorClass.lastIndexOf('.') + 1);
        return (simple.isEmpty() ? "" : simple + ": ")
                + HTTP_FAILURE.matcher(errorText).replaceFirst("$2 from $1");
    }

    /** An answer of the destination, after the status if the error text contains one: {@code 422: unknown country}. */
    public static String answer(String answer, String errorText) {
        Matcher http = HTTP_FAILURE.matcher(errorText);
        return http.find() ? http.group(2) + ": " + answer : answer;
    }
}
