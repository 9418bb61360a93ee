package dev.caravan.camel.guard;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.support.ObjectHelper;

/**
 * Answers of AWS that say 200 and name what was refused: entries of a batch, or a function that has failed. The components of Camel take them
 * for a success. They are known by their names, because their library is in the folder {@code lib} of those who use it.
 */
final class RefusedEntries {
    private static final String OF_AWS = "software.amazon.awssdk.services.";
    /** SQS and SNS, EventBridge, Kinesis, Firehose. */
    private static final Set<String> REFUSED =
            Set.of("failed", "failedEntryCount", "failedRecordCount", "failedPutCount");

    private static final String FUNCTION_ERROR = "CamelAwsLambdaFunctionError";

    private RefusedEntries() {}

    /** Looks at a message before a step. The result fails if the answer of the step refuses something. */
    static Runnable before(Exchange exchange) {
        Object body = exchange.getMessage().getBody();
        Object error = exchange.getMessage().getHeader(FUNCTION_ERROR);
        return () -> {
            Object answer = exchange.getMessage().getBody();
            if (answer != body && answer != null && refuses(answer)) {
                throw new IllegalStateException("The destination has refused entries: " + answer);
            }
            Object newError = exchange.getMessage().getHeader(FUNCTION_ERROR);
            if (newError != error && newError != null) {
                throw new IllegalStateException("The function has failed: " + newError);
            }
        };
    }

    private static boolean refuses(Object answer) {
        return answer.getClass().getName().startsWith(OF_AWS)
                && Stream.of(answer.getClass().getMethods())
                        .filter(method -> REFUSED.contains(method.getName()) && method.getParameterCount() == 0)
                        .map(method -> ObjectHelper.invokeMethod(method, answer))
                        .anyMatch(refused -> refused instanceof Collection<?> entries && !entries.isEmpty()
                                || refused instanceof Number count && count.intValue() > 0);
    }
}
