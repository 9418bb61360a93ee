package dev.caravan.camel.guard;

import dev.caravan.base.text.Causes;
import dev.caravan.camel.SmtpFailure;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.camel.http.base.HttpOperationFailedException;

/** What a destination answered to a failed attempt: the body of an HTTP response, or the replies of a mail server. */
public final class DestinationAnswer {
    /** More than is stored: the answer is masked before it is cut, because personal data at a cut would not be recognized. */
    private static final int READ = 4_000;

    private DestinationAnswer() {}

    /** The beginning of the answer, not masked; empty if the error contains none, or no text. */
    public static String of(Throwable error) {
        return Causes.first(HttpOperationFailedException.class, error)
                .map(DestinationAnswer::body)
                .orElseGet(() -> SmtpFailure.replies(error));
    }

    /** Whether the destination answered. A gateway that waits for an answer in vain (504) does not know more than a timeout. */
    public static boolean isIn(Throwable error) {
        return Causes.first(HttpOperationFailedException.class, error)
                .map(failure -> failure.getStatusCode() != 504)
                .orElseGet(() -> SmtpFailure.answers(error).findAny().isPresent());
    }

    private static String body(HttpOperationFailedException failure) {
        String body = failure.getResponseBody();
        if (body == null || !isText(contentType(failure.getResponseHeaders()))) {
            return "";
        }
        String begin = body.length() <= READ ? body : body.substring(0, READ);
        return isReadable(begin) ? begin.strip() : "";
    }

    private static String contentType(Map<String, String> headers) {
        return Optional.ofNullable(headers).orElse(Map.of()).entrySet().stream()
                .filter(header -> "Content-Type".equalsIgnoreCase(header.getKey()) && header.getValue() != null)
                .map(header -> header.getValue().toLowerCase(Locale.ROOT))
                .findFirst()
                .orElse("");
    }

    /** Whether a content type is text. A missing type is accepted, because small servers often omit it. */
    private static boolean isText(String type) {
        return type.isEmpty()
                || type.startsWith("text/")
                || type.contains("json")
                || type.contains("xml")
                || type.startsWith("application/x-www-form-urlencoded");
    }

    private static boolean isReadable(String text) {
        return text.chars().noneMatch(c -> c == 0xFFFD || Character.isISOControl(c) && !Character.isWhitespace(c));
    }
}
