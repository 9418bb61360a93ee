package dev.caravan.camel.guard;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Set;
import org.apache.camel.Exchange;

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
        if (!answer.getClass().getName().startsWith(OF_AWS)) {
            return false;
        }
        try {
            for (Method method : answer.getClass().getMethods()) {
                if (REFUSED.contains(method.getName()) && method.getParameterCount() == 0) {
                    Object refused = method.invoke(answer);
                    return refused instanceof Collection<?> entries && !entries.isEmpty()
                            || refused instanceof Number count && count.intValue() > 0;
                }
            }
            return false;
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(
                    "This version of the library has another method in " + answer.getClass(), e);
        }
    }
}
