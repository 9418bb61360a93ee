package dev.caravan.cli;

import dev.caravan.component.OutboxEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.model.ChoiceDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.FilterDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.ValidateDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.spi.Resource;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;

/**
 * The route files: each is parsed, and each endpoint and expression in it is made but not started. What only shows when
 * a route runs, such as a bean that a step names, is not found here.
 */
final class CheckedRoutes {
    private static final String AREA = "routes";

    private final CamelContext context;
    private final Path folder;
    private final Set<String> schemes = new LinkedHashSet<>();
    private final StringBuilder texts = new StringBuilder();
    private final Map<String, String> fileOfRoute = new HashMap<>();
    private final Map<String, String> fileOfSubscription = new HashMap<>();
    private final Map<String, Integer> lanesOfSubscription = new TreeMap<>();

    CheckedRoutes(CamelContext context, Path folder) {
        this.context = context;
        this.folder = folder;
    }

    List<Finding> findings() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of(Finding.problem(
                    AREA, folder.toString(), "the folder does not exist; name it in caravan.routes (ROUTES)"));
        }
        List<Finding> findings = new ArrayList<>();
        for (Path file : files()) {
            findings.addAll(findings(file));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.problem(
                    AREA, folder.toString(), "holds no *.camel.yaml file: the relay would deliver nothing"));
        }
        return findings;
    }

    private List<Path> files() throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(file -> file.getFileName().toString().endsWith(".camel.yaml"))
                    .sorted()
                    .toList();
        }
    }

    private List<Finding> findings(Path file) throws IOException {
        String name = folder.relativize(file).toString();
        texts.append(Files.readString(file));
        List<RouteDefinition> before = List.copyOf(model().getRouteDefinitions());
        try {
            Resource resource = ResourceHelper.fromString("file:" + file, Files.readString(file));
            PluginHelper.getRoutesLoader(context).loadRoutes(resource);
        } catch (Exception e) {
            return List.of(Finding.problem(AREA, name, "cannot be read: " + IdleCamel.reason(e)));
        }
        List<RouteDefinition> routes = new ArrayList<>(model().getRouteDefinitions());
        routes.removeAll(before);
        List<Finding> problems = new ArrayList<>();
        routes.forEach(route -> check(name, route, problems));
        return problems.isEmpty() ? List.of(Finding.ok(AREA, name, Humane.counted(routes.size(), "route"))) : problems;
    }

    private void check(String file, RouteDefinition route, List<Finding> problems) {
        String id = route.getRouteId();
        if (id != null && fileOfRoute.putIfAbsent(id, file) != null) {
            problems.add(problem(file, id, "has the same id as a route in " + fileOfRoute.get(id)));
        }
        String from = route.getInput().getEndpointUri();
        if (from.startsWith("outbox:") && fileOfSubscription.putIfAbsent(subscription(from), file) != null) {
            problems.add(problem(
                    file,
                    id,
                    "reads subscription " + subscription(from) + ", as a route in "
                            + fileOfSubscription.get(subscription(from))
                            + " does: each route needs a name of its own after outbox:"));
        }
        endpoint(file, id, from, problems)
                .filter(OutboxEndpoint.class::isInstance)
                .map(OutboxEndpoint.class::cast)
                .ifPresent(outbox -> lanesOfSubscription.put(outbox.getName(), outbox.getLanes()));
        steps(file, id, route, problems);
    }

    private void steps(String file, String id, ProcessorDefinition<?> route, List<Finding> problems) {
        for (SendDefinition<?> send : sends(route)) {
            endpoint(file, id, send.getEndpointUri(), problems);
        }
        for (ExpressionNode node :
                ProcessorDefinitionHelper.filterTypeInOutputs(route.getOutputs(), ExpressionNode.class)) {
            boolean predicate = node instanceof FilterDefinition || node instanceof ValidateDefinition;
            expression(file, id, node.getShortName(), node.getExpression(), predicate, problems);
        }
        for (ChoiceDefinition choice :
                ProcessorDefinitionHelper.filterTypeInOutputs(route.getOutputs(), ChoiceDefinition.class)) {
            choice.getWhenClauses().forEach(when -> expression(file, id, "when", when.getExpression(), true, problems));
        }
    }

    @SuppressWarnings("rawtypes")
    private static List<SendDefinition<?>> sends(ProcessorDefinition<?> route) {
        List<SendDefinition<?>> sends = new ArrayList<>();
        for (SendDefinition send :
                ProcessorDefinitionHelper.filterTypeInOutputs(route.getOutputs(), SendDefinition.class)) {
            sends.add(send);
        }
        return sends;
    }

    private Optional<Endpoint> endpoint(String file, String id, String uri, List<Finding> problems) {
        try {
            String resolved = context.resolvePropertyPlaceholders(uri);
            schemes.add(resolved.replaceFirst(":.*", ""));
            return Optional.of(context.getEndpoint(resolved));
        } catch (Exception e) {
            problems.add(problem(file, id, withoutQuery(uri) + " is refused: " + IdleCamel.reason(e)));
            return Optional.empty();
        }
    }

    private void expression(
            String file,
            String id,
            String step,
            ExpressionDefinition expression,
            boolean predicate,
            List<Finding> problems) {
        try {
            if (predicate) {
                expression.createPredicate(context);
            } else {
                expression.createExpression(context);
            }
        } catch (Exception e) {
            problems.add(
                    problem(file, id, "step " + step + " has an expression that is refused: " + IdleCamel.reason(e)));
        }
    }

    private static Finding problem(String file, String route, String text) {
        return Finding.problem(AREA, file, "route " + route + ": " + text);
    }

    private static String subscription(String uri) {
        return withoutQuery(uri).replaceFirst("^outbox:(//)?", "");
    }

    /** Parameters may be secrets. */
    private static String withoutQuery(String uri) {
        return uri.replaceFirst("\\?.*", "");
    }

    private Model model() {
        return context.getCamelContextExtension().getContextPlugin(Model.class);
    }

    /** Whether some route sends to or reads from an endpoint of this scheme. */
    boolean use(String scheme) {
        return schemes.contains(scheme);
    }

    /** How many lanes the route of each subscription gives it. */
    Map<String, Integer> lanesOfSubscriptions() {
        return Map.copyOf(lanesOfSubscription);
    }

    /** Whether some route file names a setting, as {@code {{name}}}. */
    boolean name(String setting) {
        return texts.indexOf("{{" + setting) >= 0;
    }
}
