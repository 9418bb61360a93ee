package dev.caravan.routes.check;

import com.jayway.jsonpath.InvalidPathException;
import com.jayway.jsonpath.JsonPath;
import dev.caravan.camel.headers.KafkaHeaderNames;
import dev.caravan.routes.context.CamelReason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.CamelContext;
import org.apache.camel.FailedToCreateRouteException;
import org.apache.camel.LineNumberAware;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.jsonpath.easypredicate.EasyPredicateParser;
import org.apache.camel.model.ChoiceDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.FilterDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RemoveHeaderDefinition;
import org.apache.camel.model.RemoveHeadersDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SetHeaderDefinition;
import org.apache.camel.model.SetHeadersDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.ValidateDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.model.language.JsonPathExpression;
import org.apache.camel.support.PatternHelper;
import org.apache.camel.support.PluginHelper;

/**
 * Checks the steps of a route: creates each endpoint, expression and step. Caravan's own steps report a problem by
 * throwing an exception when they are created; the message becomes a finding with the line of the step.
 */
final class CheckedSteps {
    private static final Pattern AT = Pattern.compile("at: >>> (.*?) <<<", Pattern.DOTALL);

    /** The options in which Camel resolves no settings, and the address, which is checked as an endpoint. */
    private static final Set<String> TEXTS = Set.of("description", "note", "label", "uri", "endpointUri");

    /** Conditions on numbers for which Camel has a wrong answer instead of an error. */
    private static final Pattern IN_FILTER = Pattern.compile("\\?\\(.*(?:[<>]=?|[=!]=)\\s*-?\\d", Pattern.DOTALL);

    private static final Pattern IN_SIMPLE =
            Pattern.compile("\\$\\{(?:jsonpath|jq|xpath)\\(.*}\\s*(?:[<>]=?|range)\\s*\\S", Pattern.DOTALL);

    private static final List<String> NAMES_OF_KEY = KafkaHeaderNames.both(KafkaConstants.KEY);

    private static final String INSTEAD =
            ". Safer: the language payload, such as total > 100 (docs/routes.md#conditions)";

    private final CamelContext context;
    private final CheckedEndpoints endpoints;
    private final CheckedStatements statements;
    /** The clauses of route configurations, which Camel adds to each route, such as onException. Each is checked once. */
    private final Set<ProcessorDefinition<?>> checkedClauses = new HashSet<>();

    private final Set<ProcessorDefinition<?>> createdClauses = new HashSet<>();

    CheckedSteps(CamelContext context, CheckedEndpoints endpoints) {
        this.context = context;
        this.endpoints = endpoints;
        this.statements = new CheckedStatements(context);
    }

    /** The statements that the routes send to databases. */
    CheckedStatements statements() {
        return statements;
    }

    void check(RouteReport report) {
        long others = report.count();
        List<ProcessorDefinition<?>> clauses = report.route().getOutputs().stream()
                .filter(step -> step.isAbstract() && checkedClauses.add(step))
                .toList();
        check(clauses, report);
        if (report.count() > others) {
            createdClauses.addAll(clauses); // would be reported again
        }
        check(
                report.route().getOutputs().stream()
                        .filter(step -> !step.isAbstract())
                        .toList(),
                report);
        removedKey(report);
        new StepHints(context).add(report);
        settings(report.route(), report);
    }

    @SuppressWarnings("rawtypes")
    private void check(List<ProcessorDefinition<?>> steps, RouteReport report) {
        boolean delivers = report.route().getInput().getEndpointUri().startsWith("outbox:");
        for (SendDefinition<?> send : sends(steps)) {
            endpoints.misspelt(send.getEndpointUri()).forEach(hint -> report.hint(send, hint));
            endpoints
                    .destination(send.getEndpointUri(), delivers, text -> report.problem(send, text))
                    .filter(SqlEndpoint.class::isInstance)
                    .map(SqlEndpoint.class::cast)
                    .ifPresent(sql -> statements.add(report, send, sql));
        }
        for (ExpressionNode node : ProcessorDefinitionHelper.filterTypeInOutputs(steps, ExpressionNode.class)) {
            boolean predicate = node instanceof FilterDefinition || node instanceof ValidateDefinition;
            expression(node, node.getShortName(), node.getExpression(), predicate, report);
        }
        for (SetHeadersDefinition headers :
                ProcessorDefinitionHelper.filterTypeInOutputs(steps, SetHeadersDefinition.class)) {
            for (SetHeaderDefinition header : headers.getHeaders()) {
                expression(headers, "setHeaders (" + header.getName() + ")", header.getExpression(), false, report);
            }
        }
        for (ToDynamicDefinition dynamic :
                ProcessorDefinitionHelper.filterTypeInOutputs(steps, ToDynamicDefinition.class)) {
            endpoints.misspelt(dynamic.getUri()).forEach(hint -> report.hint(dynamic, hint));
            endpoints.dynamic(dynamic.getUri(), text -> report.problem(dynamic, text));
        }
        for (ChoiceDefinition choice : ProcessorDefinitionHelper.filterTypeInOutputs(steps, ChoiceDefinition.class)) {
            choice.getWhenClauses().forEach(when -> expression(when, "when", when.getExpression(), true, report));
        }
        for (ProcessorDefinition step :
                ProcessorDefinitionHelper.filterTypeInOutputs(steps, ProcessorDefinition.class)) {
            settings(step, report);
        }
    }

    /** Points out a step that removes the key of the records that a later step sends: records without a key have no order. */
    @SuppressWarnings("rawtypes")
    private void removedKey(RouteReport report) {
        ProcessorDefinition removal = null;
        for (ProcessorDefinition step :
                ProcessorDefinitionHelper.filterTypeInOutputs(report.route().getOutputs(), ProcessorDefinition.class)) {
            if (removesKey(step)) {
                removal = step;
            } else if (setsKey(step)) {
                removal = null;
            } else if (removal != null && step instanceof SendDefinition<?> send && needsKey(send.getEndpointUri())) {
                report.hint(
                        removal,
                        "step " + removal.getShortName() + " also removes the header " + NAMES_OF_KEY.get(0)
                                + ", so the records that it sends to kafka: have no key and no order. Add"
                                + " excludePattern: "
                                + NAMES_OF_KEY.get(0));
                return;
            }
        }
    }

    private static boolean removesKey(ProcessorDefinition<?> step) {
        if (step instanceof RemoveHeadersDefinition several) {
            return PatternHelper.matchPattern(KafkaConstants.KEY, several.getPattern())
                    && NAMES_OF_KEY.stream()
                            .noneMatch(
                                    key -> isExcluded(key, several.getExcludePattern(), several.getExcludePatterns()));
        }
        return step instanceof RemoveHeaderDefinition one && isKey(one.getName());
    }

    private static boolean isExcluded(String key, String pattern, String[] patterns) {
        return pattern != null && PatternHelper.matchPattern(key, pattern)
                || patterns != null && PatternHelper.matchPatterns(key, patterns);
    }

    private static boolean setsKey(ProcessorDefinition<?> step) {
        return step instanceof SetHeaderDefinition header && isKey(header.getName())
                || step instanceof SetHeadersDefinition headers
                        && headers.getHeaders().stream().anyMatch(each -> isKey(each.getName()));
    }

    private static boolean isKey(String header) {
        return KafkaHeaderNames.same(KafkaConstants.KEY, header);
    }

    private static boolean needsKey(String uri) {
        return uri.startsWith("kafka:") && !uri.matches("(?s).*[?&]key=.*");
    }

    /** Reports settings that are missing in other options, such as the message of a log. Camel would report only the first of a route. */
    private void settings(LineNumberAware node, RouteReport report) {
        Map<String, Object> options = new TreeMap<>();
        PluginHelper.getBeanIntrospection(context).getProperties(node, options, null, false);
        options.keySet().removeAll(TEXTS);
        options.values().stream()
                .filter(String.class::isInstance)
                .flatMap(text -> endpoints.missingSettings((String) text).stream())
                .distinct()
                .filter(text -> !report.mentions(text))
                .forEach(text -> report.problem(node, text));
    }

    /** Creates a route with all its steps, as a relay does before it starts the route. */
    void create(RouteReport report) {
        List<ProcessorDefinition<?>> steps = report.route().getOutputs();
        List<ProcessorDefinition<?>> all = List.copyOf(steps);
        steps.removeIf(step -> step.isAbstract() && !createdClauses.add(step));
        try {
            context.getCamelContextExtension()
                    .getContextPlugin(Model.class)
                    .getModelReifierFactory()
                    .createRoute(context, report.route());
        } catch (Exception e) {
            LineNumberAware step =
                    step(report.route(), e).map(LineNumberAware.class::cast).orElse(report.route());
            report.problem(step, "could not be created: " + CamelReason.of(e));
        } finally {
            steps.clear();
            steps.addAll(all);
        }
    }

    /** The step whose text Camel quotes in its message. */
    @SuppressWarnings("rawtypes")
    private static Optional<ProcessorDefinition> step(RouteDefinition route, Exception failure) {
        if (!(failure instanceof FailedToCreateRouteException)) {
            return Optional.empty();
        }
        Matcher named = AT.matcher(failure.getMessage());
        if (!named.find()) {
            return Optional.empty();
        }
        String text = named.group(1).replaceFirst("\\.\\.\\.$", "");
        return ProcessorDefinitionHelper.filterTypeInOutputs(route.getOutputs(), ProcessorDefinition.class).stream()
                .filter(step -> step.toString().startsWith(text))
                .findFirst();
    }

    @SuppressWarnings("rawtypes")
    private static List<SendDefinition<?>> sends(List<ProcessorDefinition<?>> steps) {
        List<SendDefinition<?>> sends = new ArrayList<>();
        for (SendDefinition send : ProcessorDefinitionHelper.filterTypeInOutputs(steps, SendDefinition.class)) {
            sends.add(send);
        }
        return sends;
    }

    private void expression(
            LineNumberAware node, String step, ExpressionDefinition expression, boolean predicate, RouteReport report) {
        try {
            if (predicate) {
                expression.createPredicate(context);
                numberHint(expression).ifPresent(hint -> report.hint(node, "step " + step + ": " + hint));
            } else {
                expression.createExpression(context);
            }
            requireJsonPath(expression, predicate, context);
        } catch (Exception e) {
            report.problem(node, "step " + step + " has an invalid expression: " + CamelReason.of(e));
        }
    }

    /** What can go wrong, and what to use instead; empty if the condition compares no number. */
    private static Optional<String> numberHint(ExpressionDefinition condition) {
        String text = String.valueOf(condition.getExpression());
        if ("jsonpath".equals(condition.getLanguage())
                && IN_FILTER.matcher(text).find()) {
            return Optional.of(
                    "its filter is false, without an error, for a number in text such as \"184.50\"" + INSTEAD);
        }
        return "simple".equals(condition.getLanguage())
                        && IN_SIMPLE.matcher(text).find()
                ? Optional.of("simple compares a value that is not a number as text, without an error" + INSTEAD)
                : Optional.empty();
    }

    /**
     * Parses a JSONPath expression, which Camel does only when a message is processed. Does nothing for other languages, and for paths that contain an expression in the simple language.
     *
     * @throws IllegalArgumentException if the path cannot be parsed; its message begins with the path as the route has it
     */
    private static void requireJsonPath(ExpressionDefinition expression, boolean predicate, CamelContext context) {
        if (expression instanceof JsonPathExpression path
                && !expression.getExpression().contains("${")) {
            String text = context.resolvePropertyPlaceholders(expression.getExpression())
                    .strip();
            boolean easy = predicate && !"false".equals(path.getAllowEasyPredicate());
            try {
                JsonPath.compile(easy ? new EasyPredicateParser().parse(text) : text);
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException(expression.getExpression().strip() + ": " + e.getMessage());
            }
        }
    }
}
