package dev.caravan.camel.guard;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.support.ObjectHelper;

/**
 * Answers of AWS that say 200 and name what was refused: entries of a batch, or a function that has failed; and those that say nothing about an
 * entry. The components of Camel take them for a success. They are known by their names, because their library is in the folder {@code lib} of those who use it.
 */
final class RefusedEntries {
    private static final String OF_AWS = "software.amazon.awssdk.services.";
    /** SQS and SNS, EventBridge, Kinesis, Firehose. */
    private static final Set<String> REFUSED =
            Set.of("failed", "failedEntryCount", "failedRecordCount", "failedPutCount");

    /** What lists the accepted entries: in answers of SQS and SNS, and with the refused ones of Firehose and EventBridge. */
    private static final Set<String> ANSWERED = Set.of("successful", "requestResponses", "entries");
    /** What lists the entries of a request: of SQS and EventBridge, Firehose, SNS. */
    private static final Set<String> SENT = Set.of("entries", "records", "publishBatchRequestEntries");

    private static final String FUNCTION_ERROR = "CamelAwsLambdaFunctionError";

    private RefusedEntries() {}

    /**
     * Looks at a message before a step. The result fails if the answer of the step refuses something, or leaves it out.
     *
     * @param sendsBody whether the step sends the body that it gets, and not a variable or a body of an earlier answer
     */
    static Runnable before(Exchange exchange, boolean sendsBody) {
        Object body = exchange.getMessage().getBody();
        Object error = exchange.getMessage().getHeader(FUNCTION_ERROR);
        return () -> {
            Object answer = exchange.getMessage().getBody();
            if (answer != body && isOfAws(answer)) {
                require(answer, sendsBody ? body : null);
            }
            Object newError = exchange.getMessage().getHeader(FUNCTION_ERROR);
            if (newError != error && newError != null) {
                throw new IllegalStateException("The function has failed: " + newError);
            }
        };
    }

    private static void require(Object answer, Object body) {
        List<Object> refused = values(answer, REFUSED);
        if (refused.stream().anyMatch(each -> count(each) > 0)) {
            throw new IllegalStateException("The destination has refused entries: " + answer);
        }
        for (Object answered : refused.isEmpty() ? List.of() : values(answer, ANSWERED)) {
            int sent = sent(body, answer);
            if (count(answered) < sent) {
                throw new IllegalStateException(
                        "The destination has left out entries of " + sent + " in its answer: " + answer);
            }
        }
    }

    /** How many entries a step has sent, at least. EventBridge makes one event of a list. */
    private static int sent(Object body, Object answer) {
        if (isOfAws(body)) {
            return values(body, SENT).stream()
                    .mapToInt(RefusedEntries::count)
                    .max()
                    .orElse(1);
        }
        return body instanceof Collection<?> entries
                        && values(answer, Set.of("entries")).isEmpty()
                ? entries.size()
                : 1;
    }

    private static int count(Object entries) {
        return entries instanceof Collection<?> all
                ? all.size()
                : entries instanceof Number number ? number.intValue() : 0;
    }

    private static boolean isOfAws(Object value) {
        return value != null && value.getClass().getName().startsWith(OF_AWS);
    }

    private static List<Object> values(Object of, Set<String> names) {
        return Stream.of(of.getClass().getMethods())
                .filter(method -> names.contains(method.getName()) && method.getParameterCount() == 0)
                .map(method -> ObjectHelper.invokeMethod(method, of))
                .filter(Objects::nonNull)
                .toList();
    }
}
