package dev.caravan.camel.guard;

import dev.caravan.camel.headers.KafkaHeaderNames;
import dev.caravan.camel.headers.OutboxConstants;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.model.CatchDefinition;
import org.apache.camel.model.ChoiceDefinition;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.DelayDefinition;
import org.apache.camel.model.FilterDefinition;
import org.apache.camel.model.FinallyDefinition;
import org.apache.camel.model.LogDefinition;
import org.apache.camel.model.LoopDefinition;
import org.apache.camel.model.MulticastDefinition;
import org.apache.camel.model.PipelineDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RemoveHeaderDefinition;
import org.apache.camel.model.RemoveHeadersDefinition;
import org.apache.camel.model.RollbackDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SetBodyDefinition;
import org.apache.camel.model.SetHeaderDefinition;
import org.apache.camel.model.SetHeadersDefinition;
import org.apache.camel.model.SetPropertyDefinition;
import org.apache.camel.model.SetVariableDefinition;
import org.apache.camel.model.SetVariablesDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.StepDefinition;
import org.apache.camel.model.StopDefinition;
import org.apache.camel.model.ThrottleDefinition;
import org.apache.camel.model.ThrowExceptionDefinition;
import org.apache.camel.model.TryDefinition;
import org.apache.camel.model.ValidateDefinition;

/**
 * Finds steps of a route with {@code batching} that read what only one message has, outside of a split. Includes the routes that are
 * reached. A header counts as set if any earlier step may set it: {@link WholeBatch} finds the others when the route runs.
 */
public final class BatchSteps {
    /** The headers that each message has, except the name of the subscription, which a batch has, too. */
    private static final Set<String> OF_MESSAGE = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        OF_MESSAGE.addAll(List.of(
                OutboxConstants.ID,
                OutboxConstants.TYPE,
                OutboxConstants.AGGREGATE_TYPE,
                OutboxConstants.AGGREGATE_ID,
                OutboxConstants.OUTBOX_ID,
                OutboxConstants.CREATED_AT,
                OutboxConstants.POSITION,
                OutboxConstants.ATTEMPT));
        OF_MESSAGE.addAll(KafkaHeaderNames.both(KafkaConstants.KEY));
    }

    /** Steps that set no header, other than by their options, and do not replace the body. */
    private static final Set<Class<?>> PRESERVING = Set.of(
            CatchDefinition.class,
            ChoiceDefinition.class,
            CircuitBreakerDefinition.class,
            DelayDefinition.class,
            FilterDefinition.class,
            FinallyDefinition.class,
            LogDefinition.class,
            LoopDefinition.class,
            MulticastDefinition.class,
            PipelineDefinition.class,
            RemoveHeaderDefinition.class,
            RemoveHeadersDefinition.class,
            RollbackDefinition.class,
            SetHeaderDefinition.class,
            SetHeadersDefinition.class,
            SetPropertyDefinition.class,
            SetVariableDefinition.class,
            SetVariablesDefinition.class,
            StepDefinition.class,
            StopDefinition.class,
            ThrottleDefinition.class,
            ThrowExceptionDefinition.class,
            TryDefinition.class,
            ValidateDefinition.class);

    /** Endpoints after which the exchange has the same body and headers. */
    private static final Pattern SAME = Pattern.compile("(?:log|kafka|outbox):.*", Pattern.DOTALL);

    /** Endpoints after which the exchange has the same headers of messages: only the body is an answer. */
    private static final Pattern ANSWERING =
            Pattern.compile("(?:https?|sql|file|smtps?|sms|email|standard-webhook):.*", Pattern.DOTALL);

    /**
     * A step with a mistake, such as one that reads what only one message has.
     *
     * @param text what is wrong, and what to change; begins with the name of the step
     */
    public record Found(ProcessorDefinition<?> step, String text) {
        static Found of(ProcessorDefinition<?> step, String text) {
            String id = step.hasCustomIdAssigned() ? " " + step.getId() : "";
            return new Found(step, "step " + step.getShortName() + id + " " + text);
        }
    }

    private final CamelContext context;
    private final Function<ProcessorDefinition<?>, Stream<RouteDefinition>> reached;
    private final List<Found> all = new ArrayList<>();
    private final Set<RouteDefinition> seen = new HashSet<>();
    /** The headers that the steps so far may have set. */
    private final Set<String> set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    private boolean mayHaveAny;
    private boolean hasBatch = true;

    /** @param reached the routes that a step calls */
    BatchSteps(CamelContext context, Function<ProcessorDefinition<?>, Stream<RouteDefinition>> reached) {
        this.context = context;
        this.reached = reached;
    }

    List<Found> of(RouteDefinition route) {
        walk(route);
        return all;
    }

    private void walk(RouteDefinition route) {
        if (seen.add(route)) {
            walk(route.getOutputs());
        }
    }

    private void walk(List<ProcessorDefinition<?>> steps) {
        for (ProcessorDefinition<?> step : steps) {
            if (step.isAbstract()) {
                continue; // such as onException: it may handle the failure of one message
            }
            check(step);
            if (!(step instanceof SplitDefinition)) {
                walk(InnerSteps.of(step));
            }
            List<RouteDefinition> routes = reached.apply(step).toList();
            routes.forEach(this::walk);
            after(step, !routes.isEmpty());
        }
    }

    private void check(ProcessorDefinition<?> step) {
        StepReads reads = StepReads.of(context, step);
        Set<String> missing = new TreeSet<>(reads.headers());
        missing.removeIf(name -> mayHaveAny || !OF_MESSAGE.contains(name) || set.contains(name));
        missing.forEach(name -> add(
                step,
                "reads the header " + name + ", which a batch does not have: each of its messages has its own. "
                        + WholeBatch.INSTEAD));
        if (hasBatch) {
            reads.body()
                    .ifPresent(reader -> add(
                            step,
                            "reads the body as that of one message, with " + reader + ", but the body is a batch. "
                                    + WholeBatch.INSTEAD));
        }
    }

    private void add(ProcessorDefinition<?> step, String text) {
        all.add(Found.of(step, text));
    }

    private void after(ProcessorDefinition<?> step, boolean callsRoutes) {
        if (step instanceof SetHeaderDefinition header) {
            set.add(header.getName());
        } else if (step instanceof SetHeadersDefinition several) {
            several.getHeaders().forEach(header -> set.add(header.getName()));
        } else if (step instanceof SplitDefinition split) {
            boolean aggregates = split.getAggregationStrategy() != null || split.getAggregationStrategyBean() != null;
            mayHaveAny |= aggregates;
            hasBatch &= !aggregates;
        } else if (step instanceof SetBodyDefinition) {
            hasBatch = false;
        } else if (step instanceof SendDefinition<?> send) {
            String uri = Placeholders.uri(
                    context, ProcessorDefinitionHelper.getRoute(step), String.valueOf(send.getEndpointUri()));
            boolean isSame = callsRoutes || SAME.matcher(uri).matches();
            hasBatch &= isSame;
            mayHaveAny |= !isSame && !ANSWERING.matcher(uri).matches();
        } else if (!PRESERVING.contains(step.getClass())) {
            mayHaveAny = true;
            hasBatch = false;
        }
    }
}
