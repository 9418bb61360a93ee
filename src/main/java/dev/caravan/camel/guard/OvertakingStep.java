package dev.caravan.camel.guard;

import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.camel.model.DelayDefinition;
import org.apache.camel.model.ExecutorServiceAwareDefinition;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.model.MulticastDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.ThreadsDefinition;
import org.apache.camel.model.ThrottleDefinition;

/** Finds steps after which, with {@code pipelined}, a later message of a key may arrive first and the order is not restored. */
final class OvertakingStep {
    private OvertakingStep() {}

    /** Why messages of a key can overtake each other at a step, and what to change; empty if they cannot. */
    static Optional<String> of(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        return remedy(step, resolved)
                .map(remedy ->
                        "continues on other threads, so with pipelined a later message of a key can arrive first. "
                                + remedy
                                + ", or remove pipelined; earlyAcknowledge=true on the outbox endpoint allows it");
    }

    /** Why messages of a batch can overtake each other at a step, and what to change; empty if they cannot. */
    static Optional<String> ofBatch(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        return step instanceof SplitDefinition && !isInSplit(step) && isParallel(step, resolved)
                ? Optional.of(
                        "handles the messages of a batch on several threads, so a later message of a key can arrive first."
                                + " Remove parallelProcessing, or set order to none; earlyAcknowledge=true on the outbox endpoint allows it")
                : Optional.empty();
    }

    /** Whether the step is inside a split, where an exchange contains one message or a part of it. */
    static boolean isInSplit(ProcessorDefinition<?> step) {
        for (ProcessorDefinition<?> outer = step.getParent(); outer != null; outer = outer.getParent()) {
            if (outer instanceof SplitDefinition) {
                return true;
            }
        }
        return false;
    }

    /** Why a step skips the repeats with which {@code pipelined} restores the order, and what to change; empty if it does not. */
    static Optional<String> ofRepeats(ProcessorDefinition<?> step) {
        return step instanceof IdempotentConsumerDefinition
                ? Optional.of("skips messages that are sent again after an earlier one of their key has failed, so with"
                        + " pipelined the order is not restored. Remove the step, or remove pipelined;"
                        + " earlyAcknowledge=true on the outbox endpoint allows it")
                : Optional.empty();
    }

    private static Optional<String> remedy(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        if (step instanceof ThreadsDefinition) {
            return Optional.of("Remove the step");
        }
        boolean delays = step instanceof DelayDefinition delay && is(delay.getAsyncDelayed(), true, resolved)
                || step instanceof ThrottleDefinition throttle && is(throttle.getAsyncDelayed(), false, resolved);
        if (delays) {
            return Optional.of("Set asyncDelayed to false");
        }
        return isParallel(step, resolved) ? Optional.of("Remove parallelProcessing") : Optional.empty();
    }

    private static boolean isParallel(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        String parallel;
        String waits;
        if (step instanceof SplitDefinition split) {
            parallel = split.getParallelProcessing();
            waits = split.getSynchronous();
        } else if (step instanceof MulticastDefinition multicast) {
            parallel = multicast.getParallelProcessing();
            waits = multicast.getSynchronous();
        } else if (step instanceof RecipientListDefinition<?> recipients) {
            parallel = recipients.getParallelProcessing();
            waits = recipients.getSynchronous();
        } else {
            return false;
        }
        var threads = (ExecutorServiceAwareDefinition<?>) step;
        boolean hasThreads = threads.getExecutorServiceRef() != null || threads.getExecutorServiceBean() != null;
        return (is(parallel, false, resolved) || hasThreads) && !is(waits, false, resolved);
    }

    private static boolean is(String option, boolean unset, UnaryOperator<String> resolved) {
        return option == null ? unset : Boolean.parseBoolean(resolved.apply(option));
    }
}
