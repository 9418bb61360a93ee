package dev.caravan.camel.guard;

import java.util.function.UnaryOperator;
import org.apache.camel.ErrorHandlerFactory;
import org.apache.camel.model.LoadBalanceDefinition;
import org.apache.camel.model.OnExceptionDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RedeliveryPolicyDefinition;
import org.apache.camel.model.errorhandler.DefaultErrorHandlerDefinition;
import org.apache.camel.model.loadbalancer.FailoverLoadBalancerDefinition;

/** Finds redeliveries inside a route: with {@code pipelined}, a later message of the key may have arrived before them. */
final class Redeliveries {
    static final String REMEDY =
            "sends a message again inside the route, so with pipelined a later message of its key arrives"
                    + " before it. Remove the redeliveries (outbox: retries in order), or remove pipelined; earlyAcknowledge=true"
                    + " on the outbox endpoint allows it";

    private Redeliveries() {}

    static boolean of(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        if (step instanceof OnExceptionDefinition clause) {
            return clause.getRetryWhile() != null
                    || clause.getRetryWhilePolicy() != null
                    || clause.getRedeliveryPolicyRef() != null
                    || any(clause.getRedeliveryPolicyType(), resolved);
        }
        return step instanceof LoadBalanceDefinition balance
                && balance.getLoadBalancerType() instanceof FailoverLoadBalancerDefinition;
    }

    static boolean of(ErrorHandlerFactory handler, UnaryOperator<String> resolved) {
        return handler instanceof DefaultErrorHandlerDefinition policy
                && (policy.getRetryWhileRef() != null
                        || policy.getRetryWhilePredicate() != null
                        || policy.getRedeliveryPolicyRef() != null
                        || policy.hasRedeliveryPolicy() && any(policy.getRedeliveryPolicy(), resolved));
    }

    private static boolean any(RedeliveryPolicyDefinition policy, UnaryOperator<String> resolved) {
        return policy != null
                && policy.getMaximumRedeliveries() != null
                && !resolved.apply(policy.getMaximumRedeliveries()).equals("0")
                && !"true".equals(resolved.apply(policy.getDisableRedelivery()));
    }
}
