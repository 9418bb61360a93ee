package dev.caravan.camel.guard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.model.MulticastDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SetHeaderDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.language.ExpressionDefinition;

/**
 * Finds idempotentConsumers that treat a part of a message as a repeat of another part. A part that ends stores the id of the message, and
 * the other parts have the same id: they are skipped, and lost. Includes the routes that are reached.
 */
final class RepeatedParts {
    static final String REMEDY =
            "treats a part of the message as a repeat of another part, because all parts have the id of the"
                    + " message. Put one such step around all parts, or compare a value that differs for each part, such as"
                    + " ${header.id}/${exchangeProperty.CamelSplitIndex}";

    private static final Pattern ID = Pattern.compile(
            "(\\$\\{)?((in\\.)?headers?[.:(\\[]'?)?(?<name>id|outbox-id|CamelOutboxPosition)'?[)\\]]?}?");

    /** @param isPart whether it receives a part of the message; {@code isElement}: whether that is an element of a split */
    record Found(
            IdempotentConsumerDefinition step, String place, Object repository, boolean isPart, boolean isElement) {}

    /** Where a step is. */
    private record Place(String route, boolean isPart, boolean isElement) {
        Place inside(ProcessorDefinition<?> step, boolean ofList) {
            boolean splits = step instanceof SplitDefinition && !ofList;
            return new Place(route, isPart || splits || step instanceof MulticastDefinition, isElement || splits);
        }

        Place reachedBy(ProcessorDefinition<?> step, String reached) {
            boolean copies = step instanceof RecipientListDefinition<?> || step instanceof EnrichDefinition;
            return new Place(reached, isPart || copies, isElement);
        }
    }

    private final Function<ProcessorDefinition<?>, Stream<RouteDefinition>> reached;
    private final boolean batching;
    private final List<Found> all = new ArrayList<>();
    private final Set<Place> seen = new HashSet<>();

    /**
     * @param reached the routes that a step calls
     * @param batching whether the first split is that of a list of messages, each with its own id
     */
    RepeatedParts(Function<ProcessorDefinition<?>, Stream<RouteDefinition>> reached, boolean batching) {
        this.reached = reached;
        this.batching = batching;
    }

    /** @param idempotent whether the subscription itself skips repeats, by the ids in {@code messageIds} */
    List<Found> of(RouteDefinition route, boolean idempotent) {
        walk(route, new Place(route.getRouteId(), false, false), batching);
        return all.stream()
                .filter(each -> each.isElement || each.isPart && isCheckedAgain(each, idempotent))
                .toList();
    }

    private boolean isCheckedAgain(Found one, boolean idempotent) {
        return idempotent && "messageIds".equals(one.repository)
                || all.stream().anyMatch(other -> other.step != one.step && other.repository.equals(one.repository));
    }

    private void walk(RouteDefinition route, Place place, boolean listMayFollow) {
        if (seen.add(place)) {
            walk(route.getOutputs(), place, listMayFollow);
        }
    }

    private void walk(List<ProcessorDefinition<?>> steps, Place first, boolean listMayFollow) {
        Place place = first;
        for (ProcessorDefinition<?> step : steps) {
            if (step instanceof SetHeaderDefinition header
                    && ID.matcher(header.getName()).matches()) {
                place = new Place(place.route, false, false); // from here on each part has its own id
            }
            if (step instanceof IdempotentConsumerDefinition consumer
                    && id(consumer).matches()) {
                all.add(new Found(consumer, place.route, repository(consumer), place.isPart, place.isElement));
            }
            boolean ofList = listMayFollow && step instanceof SplitDefinition;
            walk(InnerSteps.of(step), place.inside(step, ofList), listMayFollow && !ofList);
            for (RouteDefinition route : reached.apply(step).toList()) {
                walk(route, place.reachedBy(step, route.getRouteId()), listMayFollow);
            }
        }
    }

    /** Fails a part that such a step would skip: the check at start does not find a step that is reached by a computed address. */
    static Optional<Around> refusal(IdempotentConsumerDefinition step) {
        Matcher id = id(step);
        return id.matches() ? Optional.of(refusal(repository(step), id.group("name"))) : Optional.empty();
    }

    /** @param repository with which the id of the message is compared, which is in a header */
    static Around refusal(Object repository, String header) {
        return exchange -> {
            if (Part.isComparedAgain(
                    exchange, Arrays.asList(repository, exchange.getMessage().getHeader(header)))) {
                throw new IllegalStateException("step idempotentConsumer " + REMEDY);
            }
            return Around.NOTHING;
        };
    }

    private static Matcher id(ExpressionNode step) {
        ExpressionDefinition expression = step.getExpression();
        Object text =
                expression.getExpressionValue() == null ? expression.getExpression() : expression.getExpressionValue();
        return ID.matcher(String.valueOf(text));
    }

    private static Object repository(IdempotentConsumerDefinition step) {
        return step.getIdempotentRepositoryBean() == null
                ? String.valueOf(step.getIdempotentRepository()).replaceFirst("^#(bean:)?", "")
                : step.getIdempotentRepositoryBean();
    }
}
