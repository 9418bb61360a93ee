package dev.caravan.camel.guard;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.Resilience4jConfigurationCommon;
import org.apache.camel.model.Resilience4jConfigurationDefinition;

/** Finds circuit breakers that continue without an error although nothing was sent, and explains what to change. */
final class CircuitBreakerStep {
    private static final String ALLOWED = "; earlyAcknowledge=true on the outbox endpoint allows it";

    private CircuitBreakerStep() {}

    /** Why a step may skip the delivery, and what to change; empty if it does not. */
    static Optional<String> of(CircuitBreakerDefinition step, CamelContext context, UnaryOperator<String> resolved) {
        List<Resilience4jConfigurationCommon> options = options(step, context, resolved);
        boolean hidesFailures = options.stream()
                .anyMatch(each -> isSet(each.getRecordExceptions()) || isSet(each.getIgnoreExceptions()));
        if (hidesFailures) {
            return Optional.of(
                    "counts some failures as delivered. Remove recordExceptions and ignoreExceptions" + ALLOWED);
        }
        boolean failsWhileOpen = options.stream()
                .map(Resilience4jConfigurationCommon::getThrowExceptionWhenHalfOpenOrOpenState)
                .filter(Objects::nonNull)
                .reduce((general, special) -> special)
                .map(resolved)
                .map(Boolean::parseBoolean)
                .orElse(false);
        return step.getOnFallback() != null || failsWhileOpen
                ? Optional.empty()
                : Optional.of(
                        "continues without sending and without an error while its circuit is open. Remove the step, as"
                                + " outbox: stops sending to an unavailable destination by itself, or add onFallback with another"
                                + " delivery" + ALLOWED);
    }

    /** The options that apply, the most specific last. MicroProfile Fault Tolerance has no such options. */
    private static List<Resilience4jConfigurationCommon> options(
            CircuitBreakerDefinition step, CamelContext context, UnaryOperator<String> resolved) {
        Model model = context.getCamelContextExtension().getContextPlugin(Model.class);
        String name = step.getConfiguration();
        return Stream.<Resilience4jConfigurationCommon>of(
                        model.getResilience4jConfiguration(null),
                        name == null
                                ? null
                                : context.getRegistry()
                                        .lookupByNameAndType(
                                                resolved.apply(name), Resilience4jConfigurationDefinition.class),
                        step.getResilience4jConfiguration())
                .filter(Objects::nonNull)
                .toList();
    }

    private static boolean isSet(List<String> exceptions) {
        return exceptions != null && !exceptions.isEmpty();
    }
}
