package dev.caravan.camel.guard;

import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.engine.schedule.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.ErrorHandlerFactory;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Route;
import org.apache.camel.builder.RouteConfigurationBuilder;
import org.apache.camel.model.Model;
import org.apache.camel.model.OnExceptionDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.RouteDefinitionHelper;
import org.apache.camel.model.SetPropertyDefinition;
import org.apache.camel.model.ToDefinition;
import org.apache.camel.model.errorhandler.RefErrorHandlerDefinition;
import org.apache.camel.processor.errorhandler.DefaultExceptionPolicyStrategy;
import org.apache.camel.processor.errorhandler.ExceptionPolicyKey;
import org.apache.camel.support.LifecycleStrategySupport;
import org.apache.camel.support.PluginHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The classification of failures in {@code built-in/error-handling.camel.yaml}, for the routes from {@code outbox:} of an application. A
 * relay does not need it: it loads that file, or the one that replaces it, for all its routes.
 *
 * <p>Adds the error handler and the clauses of the file to each route from {@code outbox:} when Camel builds it. The clauses of the route,
 * of its builder and of route configurations come first. Other routes are not changed: when a message fails in one of them, for example
 * behind {@code direct:}, the error handler of that route has ended the attempt, and {@link #outcome} compares its error with the same clauses.
 */
public final class Classification extends LifecycleStrategySupport {
    private static final Logger LOG = LoggerFactory.getLogger(Classification.class);

    /** Where the file is. */
    public static final String FILE = "classpath:built-in/error-handling.camel.yaml";

    private static final String OUTBOX = "outbox:";
    private static final String DEAD_LETTER = "outbox:dead-letter";

    private final CamelContext context;
    private final Model model;
    private RouteConfigurationDefinition file;

    private Classification(CamelContext context) {
        this.context = context;
        model = context.getCamelContextExtension().getContextPlugin(Model.class);
    }

    /** Begins to apply it to the routes from {@code outbox:} that Camel builds from now on. No effect if it is applied. */
    public static void install(CamelContext context) {
        if (!isInstalled(context)) {
            Classification classification = new Classification(context);
            context.getCamelContextExtension().addContextPlugin(Classification.class, classification);
            context.addLifecycleStrategy(classification);
        }
    }

    /** Whether it is applied: then the error handler of a configuration of all routes does not apply to routes from {@code outbox:}. */
    static boolean isInstalled(CamelContext context) {
        return context.getCamelContextExtension().getContextPlugin(Classification.class) != null;
    }

    @Override
    public void onRouteContextCreate(Route route) {
        if (isOfOutbox(route) && route.getRoute() instanceof RouteDefinition definition) {
            clauses(definition).filter(Classification::hidesFailures).forEach(clause -> warn(definition, clause));
            addClauses(definition);
            if (usesErrorHandlerOfAll(definition)) {
                ErrorHandlerFactory handler = file().getErrorHandler().getErrorHandlerType();
                definition.setErrorHandlerFactory(handler);
                route.setErrorHandlerFactory(handler);
            }
        }
    }

    private static boolean isOfOutbox(Route route) {
        return route.getEndpoint().getEndpointUri().startsWith(OUTBOX);
    }

    /** Whether failures of a route that Camel builds are classified: by these clauses, by those of a relay, or by its own. */
    static boolean isOf(Route route, RouteDefinition definition) {
        return isInstalled(route.getCamelContext()) && isOfOutbox(route)
                || clauses(definition).anyMatch(clause -> kind(clause) != Outcome.RETRY);
    }

    /** Adds the clauses after those of the route, except those that it replaces by a clause with the same id. */
    private void addClauses(RouteDefinition route) {
        List<ProcessorDefinition<?>> steps = route.getOutputs();
        List<String> ids = clauses(route).map(OnExceptionDefinition::getId).toList();
        int place = 0;
        while (place < steps.size() && steps.get(place) instanceof OnExceptionDefinition) {
            place++;
        }
        for (OnExceptionDefinition clause : file().getOnExceptions()) {
            if (!ids.contains(clause.getId())) {
                steps.add(place++, clause);
            }
        }
    }

    /** Whether a clause of several routes lets a failed message count as delivered: its author may not know of the outbox. */
    private static boolean hidesFailures(OnExceptionDefinition clause) {
        boolean handles = clause.getHandledPolicy() != null || clause.getContinuedPolicy() != null || isSet(clause);
        return handles && !clause.isRouteScoped() && kind(clause) == Outcome.RETRY;
    }

    private static boolean isSet(OnExceptionDefinition clause) {
        return clause.getHandled() != null || clause.getContinued() != null;
    }

    private static void warn(RouteDefinition route, OnExceptionDefinition clause) {
        LOG.warn(
                "Route {} from outbox: a message that fails with {} counts as delivered, because an onException of all routes of its"
                        + " builder or of the application handles this error. To store such messages, send to outbox:dead-letter in"
                        + " that onException, or put the route into a builder of its own",
                route.getRouteId(),
                clause.getExceptions());
    }

    private static Stream<OnExceptionDefinition> clauses(RouteDefinition route) {
        return route.getOutputs().stream()
                .filter(OnExceptionDefinition.class::isInstance)
                .map(OnExceptionDefinition.class::cast);
    }

    /** Whether neither the route nor its builder has an error handler: it is Camel's, or that of a configuration of all routes. */
    private boolean usesErrorHandlerOfAll(RouteDefinition route) {
        ErrorHandlerFactory handler = route.getErrorHandlerFactory();
        if (handler instanceof RefErrorHandlerDefinition reference) {
            return RefErrorHandlerDefinition.DEFAULT_ERROR_HANDLER_BUILDER.equals(reference.getRef());
        }
        return route.getRouteConfigurationId() == null
                && model.getRouteConfigurationDefinitions().stream()
                        .anyMatch(each -> each.getErrorHandler() != null
                                && each.getErrorHandler().getErrorHandlerType() == handler);
    }

    /**
     * The outcome of an attempt that failed with an error: of the clauses of the file if the error handler of a route that is not from
     * {@code outbox:} has ended it and no clause of that route applies; otherwise RETRY, because the clauses have been applied.
     */
    static Outcome outcome(Exchange exchange, Throwable error) {
        Classification classification =
                exchange.getContext().getCamelContextExtension().getContextPlugin(Classification.class);
        return classification == null || error == null ? Outcome.RETRY : classification.of(exchange, error);
    }

    private Outcome of(Exchange exchange, Throwable error) {
        String id = exchange.getProperty(ExchangePropertyKey.FAILURE_ROUTE_ID, String.class);
        Route route = id == null ? null : context.getRoute(id);
        if (route == null || isOfOutbox(route)) {
            return Outcome.RETRY;
        }
        RouteDefinition definition = model.getRouteDefinition(id);
        Map<ExceptionPolicyKey, Outcome> outcomes = new LinkedHashMap<>();
        if (definition != null) {
            clauses(definition).forEach(clause -> add(clause, Outcome.RETRY, outcomes));
        }
        file().getOnExceptions().forEach(clause -> add(clause, kind(clause), outcomes));
        ExceptionPolicyKey applies =
                DefaultExceptionPolicyStrategy.INSTANCE.getExceptionPolicy(outcomes.keySet(), exchange, error);
        return applies == null ? Outcome.RETRY : outcomes.get(applies);
    }

    private void add(OnExceptionDefinition clause, Outcome outcome, Map<ExceptionPolicyKey, Outcome> outcomes) {
        for (String name : clause.getExceptions()) {
            Class<? extends Throwable> type =
                    context.getClassResolver().resolveClass(name).asSubclass(Throwable.class);
            outcomes.putIfAbsent(
                    new ExceptionPolicyKey(
                            null,
                            type,
                            clause.getOnWhen() == null
                                    ? null
                                    : clause.getOnWhen().getExpression()),
                    outcome);
        }
    }

    /** What a clause of the file does with a message, as its steps say. */
    private static Outcome kind(OnExceptionDefinition clause) {
        boolean isDead = clause.getOutputs().stream()
                .anyMatch(step -> step instanceof ToDefinition to && DEAD_LETTER.equals(to.getEndpointUri()));
        boolean isOfDestination = clause.getOutputs().stream()
                .anyMatch(step ->
                        step instanceof SetPropertyDefinition set && OutboxConstants.FAILURE.equals(set.getName()));
        return isDead ? Outcome.DEAD : isOfDestination ? Outcome.UNAVAILABLE : Outcome.RETRY;
    }

    private synchronized RouteConfigurationDefinition file() {
        if (file == null) {
            file = load();
        }
        return file;
    }

    /** Loads the file without adding it to the configurations of the context. */
    private RouteConfigurationDefinition load() {
        try {
            var resource = PluginHelper.getResourceLoader(context).resolveResource(FILE);
            var builder = (RouteConfigurationBuilder) PluginHelper.getRoutesLoader(context)
                    .findRoutesBuilders(resource)
                    .iterator()
                    .next();
            builder.setCamelContext(context);
            builder.configuration();
            RouteConfigurationDefinition loaded = builder.getRouteConfigurationCollection()
                    .getRouteConfigurations()
                    .get(0);
            loaded.getOnExceptions().forEach(this::prepare);
            loaded.getOnExceptions().removeIf(clause -> clause.getExceptions().isEmpty());
            return loaded;
        } catch (Exception e) {
            throw new IllegalStateException(
                    "Could not load the classification of failures, " + FILE + ": " + e.getMessage()
                            + ". Add camel-yaml-dsl to the application, or set errorHandling=false on the component outbox",
                    e);
        }
    }

    /** Removes the errors of destinations that the application has no library for, as for Kafka. */
    private void prepare(OnExceptionDefinition clause) {
        List<String> known = new ArrayList<>(clause.getExceptions());
        known.removeIf(name -> context.getClassResolver().resolveClass(name) == null);
        clause.setExceptions(known);
        clause.setRouteScoped(false); // as the clauses of a route configuration
        RouteDefinitionHelper.initParent(clause);
    }
}
