package dev.caravan.camel.guard;

import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.camel.model.DynamicRouterDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.model.LoadBalanceDefinition;
import org.apache.camel.model.LoopDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.RoutingSlipDefinition;
import org.apache.camel.model.SagaDefinition;
import org.apache.camel.model.SamplingDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.loadbalancer.TopicLoadBalancerDefinition;

/** Finds steps that can skip or postpone a delivery and continue as if it had succeeded. Explains what to change. */
final class SkippingStep {
    private static final String ALLOWED = "; earlyAcknowledge=true on the outbox endpoint allows it";

    private SkippingStep() {}

    /** Why a step may skip the delivery, and what to change; empty if it does not. */
    static Optional<String> of(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        if (step instanceof IdempotentConsumerDefinition idempotent) {
            return idempotent(idempotent, resolved).map(text -> text + ALLOWED);
        }
        if (step instanceof LoopDefinition loop && is(loop.getBreakOnShutdown(), resolved)) {
            return Optional.of(
                    "ends before its last iteration when the relay stops, and the route continues. Remove breakOnShutdown"
                            + ALLOWED);
        }
        if (step instanceof SamplingDefinition) {
            return Optional.of(
                    "may also skip the next attempt of a message that has failed, which is then lost. Use filter"
                            + " with a condition on the message" + ALLOWED);
        }
        if (step instanceof SagaDefinition saga && (saga.getCompletion() != null || saga.getCompensation() != null)) {
            return Optional.of("runs its completion and compensation after the message counts as delivered, and loses"
                    + " them in a crash. Put these steps into the route, or write another route that reads the outbox"
                    + ALLOWED);
        }
        if (step instanceof LoadBalanceDefinition balance
                && balance.getLoadBalancerType() instanceof TopicLoadBalancerDefinition) {
            return Optional.of(
                    "of kind topic does not detect that one of its copies is rolled back or unavailable. Use multicast"
                            + ALLOWED);
        }
        return is(ignoresInvalidEndpoint(step), resolved)
                ? Optional.of("continues without sending when the address is invalid. Remove ignoreInvalidEndpoint(s)"
                        + ALLOWED)
                : Optional.empty();
    }

    /** The same for a step of a route whose exchanges have several messages. */
    static Optional<String> ofBatch(ProcessorDefinition<?> step) {
        return step instanceof IdempotentConsumerDefinition && !OvertakingStep.isInSplit(step)
                ? Optional.of(
                        "treats a batch as one message. Put the step into the split of the list, where each message has its id"
                                + ALLOWED)
                : Optional.empty();
    }

    private static Optional<String> idempotent(IdempotentConsumerDefinition step, UnaryOperator<String> resolved) {
        if (step.getEager() == null || is(step.getEager(), resolved)) {
            return Optional.of("stores the message id before the delivery, so a crash in between loses the message."
                    + " Set eager to false");
        }
        if (step.getRemoveOnFailure() != null && !is(step.getRemoveOnFailure(), resolved)) {
            return Optional.of("stores the id of a failed message, so its next attempt counts as a repeat and is lost."
                    + " Remove removeOnFailure");
        }
        return is(step.getCompletionEager(), resolved)
                ? Optional.of(
                        "stores the message id before the end of the route, so a part that failed may be skipped as"
                                + " a repeat and lost. Remove completionEager")
                : Optional.empty();
    }

    private static String ignoresInvalidEndpoint(ProcessorDefinition<?> step) {
        if (step instanceof ToDynamicDefinition send) {
            return send.getIgnoreInvalidEndpoint();
        }
        if (step instanceof EnrichDefinition send) {
            return send.getIgnoreInvalidEndpoint();
        }
        if (step instanceof RecipientListDefinition<?> send) {
            return send.getIgnoreInvalidEndpoints();
        }
        if (step instanceof RoutingSlipDefinition<?> send) {
            return send.getIgnoreInvalidEndpoints();
        }
        return step instanceof DynamicRouterDefinition<?> send ? send.getIgnoreInvalidEndpoints() : null;
    }

    private static boolean is(String option, UnaryOperator<String> resolved) {
        return option != null && Boolean.parseBoolean(resolved.apply(option));
    }
}
