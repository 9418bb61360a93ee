package dev.caravan.camel.guard;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.ErrorHandlerFactory;
import org.apache.camel.Exchange;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.ExecutorServiceAwareDefinition;
import org.apache.camel.model.FaultToleranceConfigurationCommon;
import org.apache.camel.model.FaultToleranceConfigurationDefinition;
import org.apache.camel.model.LoadBalanceDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.OnExceptionDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RedeliveryPolicyDefinition;
import org.apache.camel.model.Resilience4jConfigurationCommon;
import org.apache.camel.model.Resilience4jConfigurationDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.errorhandler.DefaultErrorHandlerDefinition;
import org.apache.camel.model.loadbalancer.FailoverLoadBalancerDefinition;
import org.apache.camel.support.PluginHelper;

/**
 * The steps of Camel that are known to end only after the delivery of their message, and the options with which they do not. A step that
 * is not known, for example of a later version of Camel, may end before the delivery and is refused. Explains what to change.
 */
final class SafeSteps {
    /** How a problem of a route ends: the option that allows the step. */
    static final String ALLOWED = "; earlyAcknowledge=true on the outbox endpoint allows it";

    static final String OTHER_ROUTE =
            "For a second destination, write another route from outbox: with its own name; to log,"
                    + " use the step log; for alerts, use the route dead-letter";

    static final String REDELIVERS =
            "sends a message again inside the route, so with pipelined a later message of its key"
                    + " arrives before it. Remove the redeliveries (outbox: retries in order), or remove pipelined";

    /** The names of their classes in Camel's model, without "Definition". */
    private static final Set<String> KNOWN = Set.of("""
            Bean Catch Choice CircuitBreaker ClaimCheck ConvertBody ConvertHeader ConvertVariable Delay DynamicRouter Enrich Filter
            Finally IdempotentConsumer Intercept InterceptFrom InterceptSendToEndpoint Kamelet LoadBalance Log Loop Marshal Multicast
            OnCompletion OnException OnFallback Otherwise Pausable Pipeline Policy Poll PollEnrich Process RecipientList RemoveHeader
            RemoveHeaders RemoveProperties RemoveProperty RemoveVariable Resumable Rollback RoutingSlip Saga Script ServiceCall SetBody
            SetExchangePattern SetHeader SetHeaders SetProperty SetVariable SetVariables Sort Split Step Stop Threads Throttle
            ThrowException To ToDynamic Tokenizer Transacted Transform TransformDataType Try Unmarshal Validate When
            """.split("\\s+"));

    /** What to use instead of other steps. */
    private static final Map<String, String> INSTEAD = Map.of(
            "WireTap",
            "sends a copy that the route does not wait for: if it fails, it is lost. " + OTHER_ROUTE,
            "Aggregate",
            "stores messages in memory after they count as delivered. Remove it, and let the destination collect them",
            "Resequence",
            "stores messages in memory after they count as delivered. Remove it: messages of a key are in order already, and"
                    + " order=strict orders all",
            "Sampling",
            "may also skip the next attempt of a message that has failed, which is then lost. Use filter with a condition on the"
                    + " message");

    /**
     * A value of an option with which a step is not safe.
     *
     * @param steps the names of the steps
     * @param unsafe whether a value is unsafe; it is empty if the option is not set, and the name of the class of a value that is no text
     * @param why what happens then, and what to change
     */
    private record Rule(Set<String> steps, String option, Predicate<String> unsafe, String why) {
        Rule(String steps, String option, Predicate<String> unsafe, String why) {
            this(Set.of(steps.split(" ")), option, unsafe, why);
        }

        private boolean forbids(ProcessorDefinition<?> step, SafeSteps values) {
            if (!steps.contains(name(step))) {
                return false;
            }
            String value = values.option(step, option);
            return value == null || unsafe.test(value);
        }
    }

    private static final Predicate<String> TRUE = "true"::equalsIgnoreCase;
    private static final Predicate<String> NOT_FALSE = value -> !value.equalsIgnoreCase("false");
    private static final Predicate<String> ANY = value -> true;
    private static final Predicate<String> SET = value -> !value.isBlank();

    private static final List<Rule> LOSING = List.of(
            new Rule(
                    "IdempotentConsumer",
                    "eager",
                    NOT_FALSE,
                    "stores the message id before the delivery, so a crash in between loses the message. Set eager to false"),
            new Rule(
                    "IdempotentConsumer",
                    "removeOnFailure",
                    SET.and(TRUE.negate()),
                    "stores the id of a failed message, so its next attempt counts as a repeat and is lost. Remove"
                            + " removeOnFailure"),
            new Rule(
                    "IdempotentConsumer",
                    "completionEager",
                    TRUE,
                    "stores the message id before the end of the route, so a part that failed may be skipped as a repeat and lost."
                            + " Remove completionEager"),
            new Rule(
                    "Loop",
                    "breakOnShutdown",
                    TRUE,
                    "ends before its last iteration when the relay stops, and the route continues. Remove breakOnShutdown"),
            new Rule(
                    "OnCompletion",
                    "mode",
                    "BeforeConsumer"::equalsIgnoreCase,
                    "hides failures of later parts of the message in mode BeforeConsumer. Remove the mode"),
            saga("completion"),
            saga("compensation"),
            new Rule(
                    "LoadBalance",
                    "loadBalancerType",
                    "TopicLoadBalancerDefinition"::equals,
                    "of kind topic does not detect that one of its copies is rolled back or unavailable. Use multicast"),
            new Rule(
                    "ToDynamic Enrich",
                    "ignoreInvalidEndpoint",
                    TRUE,
                    "continues without sending when the address is invalid. Remove ignoreInvalidEndpoint"),
            new Rule(
                    "RecipientList RoutingSlip DynamicRouter",
                    "ignoreInvalidEndpoints",
                    TRUE,
                    "continues without sending when the address is invalid. Remove ignoreInvalidEndpoints"),
            new Rule(
                    "Multicast Split RecipientList",
                    "timeout",
                    SET.and(value -> !value.equals("0")),
                    "continues without its parts after the timeout: later failures in them are lost. Remove the timeout, and set"
                            + " one at the endpoints"),
            new Rule(
                    "SetProperty",
                    "name",
                    Exchange.ASYNC_WAIT::equals,
                    "makes seda: continue before the message is delivered: remove it, and set waitForTaskToComplete at the"
                            + " endpoint"));

    /** After these, with {@code pipelined}, a later message of a key may arrive first and the order is not restored. */
    private static final List<Rule> OVERTAKING = List.of(
            new Rule("Threads", "id", ANY, overtakes("Remove the step")),
            new Rule("Delay", "asyncDelayed", NOT_FALSE, overtakes("Set asyncDelayed to false")),
            new Rule("Throttle", "asyncDelayed", TRUE, overtakes("Set asyncDelayed to false")),
            new Rule(
                    "IdempotentConsumer",
                    "id",
                    ANY,
                    "skips messages that are sent again after an earlier one of their key has failed, so with pipelined the order"
                            + " is not restored. Remove the step, or remove pipelined"),
            new Rule("LoadBalance", "loadBalancerType", "FailoverLoadBalancerDefinition"::equals, REDELIVERS));

    private static Rule saga(String option) {
        return new Rule(
                "Saga",
                option,
                SET,
                "runs its " + option
                        + " after the message counts as delivered, and loses it in a crash. Put its steps into the"
                        + " route, or write another route that reads the outbox");
    }

    private static String overtakes(String remedy) {
        return "continues on other threads, so with pipelined a later message of a key can arrive first. " + remedy
                + ", or remove pipelined";
    }

    private static final Object NO_OPTION = new Object();

    /** The name of each class of steps. Each step of each route is compared with all rules, and again for each subscription that reaches it. */
    private static final ClassValue<String> NAMES = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            return type.getName().startsWith("org.apache.camel.model.")
                    ? type.getSimpleName().replaceFirst("Definition$", "")
                    : type.getName();
        }
    };

    private final CamelContext context;

    SafeSteps(CamelContext context) {
        this.context = context;
    }

    private static String name(ProcessorDefinition<?> step) {
        return NAMES.get(step.getClass());
    }

    /** Null if this version of Camel has no such option: it may have another name, so the step is not known to be safe. */
    private String option(ProcessorDefinition<?> step, String name) {
        Object value = PluginHelper.getBeanIntrospection(context).getOrElseProperty(step, name, NO_OPTION, false);
        if (value == NO_OPTION) {
            return null;
        }
        return value == null || value instanceof String
                ? resolved(step, (String) value)
                : value.getClass().getSimpleName();
    }

    private String resolved(ProcessorDefinition<?> step, String text) {
        return text == null ? "" : Placeholders.resolved(context, ProcessorDefinitionHelper.getRoute(step), text);
    }

    private Stream<String> broken(List<Rule> rules, ProcessorDefinition<?> step) {
        return rules.stream().filter(rule -> rule.forbids(step, this)).map(Rule::why);
    }

    /** Why a step may end its route before or without the delivery, and what to change; empty if it does not. */
    Optional<String> losing(ProcessorDefinition<?> step) {
        String name = name(step);
        if (!KNOWN.contains(name)) {
            return Optional.of(INSTEAD.getOrDefault(
                    name,
                    "is not known to wait for the delivery, so a message that fails in it could be lost. Remove it"));
        }
        return broken(LOSING, step)
                .findFirst()
                .or(() -> step instanceof CircuitBreakerDefinition breaker ? losing(breaker) : Optional.empty())
                .or(() -> step instanceof LoadBalanceDefinition balance ? losing(balance) : Optional.empty());
    }

    private Optional<String> losing(LoadBalanceDefinition step) {
        return step.getLoadBalancerType() instanceof FailoverLoadBalancerDefinition failover
                        && TRUE.test(resolved(step, failover.getRoundRobin()))
                        && !resolved(step, failover.getMaximumFailoverAttempts())
                                .matches("\\d+")
                ? Optional.of(
                        "sends a message that fails everywhere again and again without end, and without a pause. Set"
                                + " maximumFailoverAttempts")
                : Optional.empty();
    }

    private Optional<String> losing(CircuitBreakerDefinition step) {
        List<Resilience4jConfigurationCommon> options = options(step);
        boolean hidesFailures = options.stream()
                .anyMatch(each -> isSet(each.getRecordExceptions()) || isSet(each.getIgnoreExceptions()));
        if (hidesFailures) {
            return Optional.of("counts some failures as delivered. Remove recordExceptions and ignoreExceptions");
        }
        if (hasTimeout(step, options)) {
            return Optional.of(
                    "does not end its steps after the timeout: the message may arrive when it is dead, or after later ones"
                            + " of its key. Remove timeoutEnabled, and set timeouts at the endpoints");
        }
        boolean failsWhileOpen = options.stream()
                .map(Resilience4jConfigurationCommon::getThrowExceptionWhenHalfOpenOrOpenState)
                .filter(Objects::nonNull)
                .reduce((general, special) -> special)
                .filter(text -> TRUE.test(resolved(step, text)))
                .isPresent();
        return step.getOnFallback() != null || failsWhileOpen
                ? Optional.empty()
                : Optional.of(
                        "continues without sending and without an error while its circuit is open. Remove the step, as"
                                + " outbox: stops sending to an unavailable destination by itself, or add onFallback with another"
                                + " delivery");
    }

    private boolean hasTimeout(CircuitBreakerDefinition step, List<Resilience4jConfigurationCommon> options) {
        return Stream.of(
                        options.stream().map(Resilience4jConfigurationCommon::getTimeoutEnabled),
                        Stream.<FaultToleranceConfigurationCommon>of(
                                        model().getFaultToleranceConfiguration(null),
                                        named(step, FaultToleranceConfigurationDefinition.class),
                                        step.getFaultToleranceConfiguration())
                                .filter(Objects::nonNull)
                                .map(FaultToleranceConfigurationCommon::getTimeoutEnabled))
                .anyMatch(values -> values.filter(Objects::nonNull)
                        .reduce((general, special) -> special)
                        .filter(text -> TRUE.test(resolved(step, text)))
                        .isPresent());
    }

    /** The options of Resilience4j that apply, the most specific last. */
    private List<Resilience4jConfigurationCommon> options(CircuitBreakerDefinition step) {
        return Stream.<Resilience4jConfigurationCommon>of(
                        model().getResilience4jConfiguration(null),
                        named(step, Resilience4jConfigurationDefinition.class),
                        step.getResilience4jConfiguration())
                .filter(Objects::nonNull)
                .toList();
    }

    private Model model() {
        return context.getCamelContextExtension().getContextPlugin(Model.class);
    }

    /** The configuration that a circuit breaker names, if it is of this type; otherwise null. */
    private <T> T named(CircuitBreakerDefinition step, Class<T> type) {
        String name = step.getConfiguration();
        return name == null ? null : context.getRegistry().lookupByNameAndType(resolved(step, name), type);
    }

    private static boolean isSet(List<String> exceptions) {
        return exceptions != null && !exceptions.isEmpty();
    }

    /** Why messages of a key can overtake each other at a step with {@code pipelined}, and what to change; a text for each cause. */
    Stream<String> overtaking(ProcessorDefinition<?> step) {
        Stream<String> others = isParallel(step)
                ? Stream.of(overtakes("Remove parallelProcessing"))
                : step instanceof OnExceptionDefinition clause && redelivers(clause)
                        ? Stream.of(REDELIVERS)
                        : Stream.empty();
        return Stream.concat(broken(OVERTAKING, step), others);
    }

    private boolean isParallel(ProcessorDefinition<?> step) {
        if (!Set.of("Split", "Multicast", "RecipientList").contains(name(step))) {
            return false;
        }
        var threads = (ExecutorServiceAwareDefinition<?>) step;
        return (TRUE.test(option(step, "parallelProcessing"))
                        || threads.getExecutorServiceRef() != null
                        || threads.getExecutorServiceBean() != null)
                && !TRUE.test(option(step, "synchronous"));
    }

    private boolean redelivers(OnExceptionDefinition clause) {
        return clause.getRetryWhile() != null
                || clause.getRetryWhilePolicy() != null
                || clause.getRedeliveryPolicyRef() != null
                || redelivers(clause, clause.getRedeliveryPolicyType());
    }

    /** Whether an error handler sends messages again inside the route. @param route the route with its parameters */
    boolean redelivers(ProcessorDefinition<?> route, ErrorHandlerFactory handler) {
        return handler instanceof DefaultErrorHandlerDefinition policy
                && (policy.getRetryWhileRef() != null
                        || policy.getRetryWhilePredicate() != null
                        || policy.getRedeliveryPolicyRef() != null
                        || policy.hasRedeliveryPolicy() && redelivers(route, policy.getRedeliveryPolicy()));
    }

    private boolean redelivers(ProcessorDefinition<?> step, RedeliveryPolicyDefinition policy) {
        return policy != null
                && policy.getMaximumRedeliveries() != null
                && !resolved(step, policy.getMaximumRedeliveries()).equals("0")
                && !resolved(step, policy.getDisableRedelivery()).equals("true");
    }

    /** Why a step of a route whose exchanges have several messages is wrong, and what to change; empty if it is not. */
    Optional<String> ofBatch(ProcessorDefinition<?> step) {
        return name(step).equals("IdempotentConsumer") && !isInSplit(step)
                ? Optional.of(
                        "treats a batch as one message. Put the step into the split of the list, where each message has its id")
                : Optional.empty();
    }

    /** Why messages of a batch can overtake each other at a step, and what to change; empty if they cannot. */
    Optional<String> ofOrderedBatch(ProcessorDefinition<?> step) {
        return step instanceof SplitDefinition && !isInSplit(step) && isParallel(step)
                ? Optional.of(
                        "handles the messages of a batch on several threads, so a later message of a key can arrive first."
                                + " Remove parallelProcessing, or set order to none")
                : Optional.empty();
    }

    /** Whether the step is inside a split, where an exchange contains one message or a part of it. */
    private static boolean isInSplit(ProcessorDefinition<?> step) {
        return ProcessorDefinitionHelper.isParentOfType(SplitDefinition.class, step, true);
    }
}
