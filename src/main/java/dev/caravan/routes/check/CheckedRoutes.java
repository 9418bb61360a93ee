package dev.caravan.routes.check;

import dev.caravan.base.message.TypePatterns;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Formatted;
import dev.caravan.camel.outbox.OutboxEndpoint;
import dev.caravan.routes.context.BuiltInRoutes;
import dev.caravan.routes.context.CamelReason;
import dev.caravan.routes.context.DefinedNames;
import dev.caravan.routes.context.RouteFiles;
import dev.caravan.routes.context.SharedNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.RouteConfigurationsBuilder;
import org.apache.camel.RoutesBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.Model;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.spi.Resource;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;

/**
 * Checks the route files: parses each, and creates its endpoints, expressions and steps as a relay does, without starting them.
 * Does not find errors that occur only when a message is processed.
 */
public final class CheckedRoutes {
    private static final String AREA = "routes";
    private static final String CLASSES = "camel.main.routesBuilderClasses";
    private static final Pattern LIST = Pattern.compile("(?m)^\\s*[-\\[]");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{([\\w.-]+)");

    private final CamelContext context;
    private final Path folder;
    private final Path intakes;
    private final CheckedEndpoints endpoints;
    private final CheckedSteps steps;
    private final Map<String, String> texts = new TreeMap<>();
    /** The routes of the files that are checked already. */
    private final Set<RouteDefinition> known = new HashSet<>();
    /** The ids of routes and steps that are checked already. */
    private final Set<String> ids = new HashSet<>();

    private final Map<String, String> fileOfRoute = new HashMap<>();
    private final Map<String, String> fileOfSubscription = new HashMap<>();
    /** A route that reads the outbox. */
    private record Reader(RouteReport report, OutboxEndpoint outbox) {}

    private final List<Reader> readers = new ArrayList<>();

    private final Map<String, Integer> lanesOfSubscription = new TreeMap<>();

    CheckedRoutes(CamelContext context, CamelMetadata metadata, Settings settings) {
        this.context = context;
        boolean ownServer = settings.text("camel.server.enabled", "false").equalsIgnoreCase("true");
        this.endpoints = new CheckedEndpoints(context, metadata, ownServer);
        this.steps = new CheckedSteps(context, endpoints);
        this.folder = Path.of(settings.text("caravan.routes", "routes"));
        this.intakes = Path.of(settings.text("caravan.intakes", "intakes"));
    }

    List<CheckResult> findings() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of(CheckResult.problem(
                    AREA,
                    folder.toString(),
                    "the folder does not exist. Set caravan.routes (CARAVAN_ROUTES). If the routes run in applications:"
                            + " ./caravan check --no-routes"));
        }
        List<CheckResult> findings = new ArrayList<>();
        findings.addAll(ofClasses());
        Map<String, String> files = RouteFiles.in(folder);
        boolean none = findings.isEmpty() && files.isEmpty();
        SharedNames names = SharedNames.of(context, List.of());
        Map<String, String> builtIn = BuiltInRoutes.besides(files);
        Map<Path, RoutesBuilder> builders = builders(files, findings);
        builders.putAll(builders(builtIn, findings));
        builders.forEach((file, builder) -> findings.addAll(findings(file, builder, origin(name(file), builtIn))));
        findings.addAll(early());
        findings.addAll(refused(names, files));
        files.forEach((name, text) -> findings.addAll(OlderHeaderNames.hints(name, text)));
        RouteFiles.unrecognized(folder).forEach((name, text) -> findings.add(CheckResult.hint(AREA, name, text)));
        if (none) {
            boolean hasIntakes = hasFiles(intakes);
            String text = "contains no route file (" + RouteFiles.KINDS + "), so the relay would deliver nothing";
            findings.add(
                    hasIntakes
                            ? CheckResult.hint(AREA, folder.toString(), text + ", and only work its intakes")
                            : CheckResult.problem(AREA, folder.toString(), text));
        }
        return findings;
    }

    private static boolean hasFiles(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (var files = Files.list(folder)) {
            return files.findAny().isPresent();
        }
    }

    private List<CheckResult> ofClasses() {
        List<CheckResult> findings = new ArrayList<>(missingClasses());
        List<RouteDefinition> routes = newRoutes();
        for (RouteDefinition route : routes) {
            RouteReport report = new RouteReport(CLASSES, "", route, findings);
            SharedNames.interceptions(route).forEach(each -> report.problem(SharedNames.NO_INTERCEPTION));
            attempt(report, () -> check(report));
        }
        if (findings.isEmpty() && !routes.isEmpty()) {
            findings.add(CheckResult.ok(AREA, CLASSES, Formatted.counted(routes.size(), "route")));
        }
        return findings;
    }

    /** The classes with routes that settings name: Camel only warns of one that does not exist. */
    private List<CheckResult> missingClasses() {
        List<CheckResult> findings = new ArrayList<>();
        String names = context.getPropertiesComponent().resolveProperty(CLASSES).orElse("");
        for (String name : names.split(",")) {
            if (!name.isBlank() && !isRouteBuilder(name.strip())) {
                findings.add(CheckResult.problem(
                        AREA,
                        CLASSES,
                        "class " + name.strip()
                                + " is neither in lib nor a RouteBuilder. Correct the name, or put its jar"
                                + " into lib"));
            }
        }
        return findings;
    }

    private boolean isRouteBuilder(String name) {
        Class<?> found = context.getClassResolver().resolveClass(name);
        return found != null && RoutesBuilder.class.isAssignableFrom(found);
    }

    /** Reads the files as a relay does: no subfolders, and first the configurations that apply to the routes of all files. */
    private Map<Path, RoutesBuilder> builders(Map<String, String> files, List<CheckResult> findings) {
        Map<Path, RoutesBuilder> builders = new LinkedHashMap<>();
        for (var each : files.entrySet()) {
            Path file = folder.resolve(each.getKey());
            try {
                String text = each.getValue();
                texts.put(each.getKey(), text);
                Resource resource =
                        ResourceHelper.fromString(BuiltInRoutes.location(folder, each.getKey(), text), text);
                for (RoutesBuilder builder :
                        PluginHelper.getRoutesLoader(context).findRoutesBuilders(resource)) {
                    if (builder instanceof RouteConfigurationsBuilder configurations) {
                        context.addRoutesConfigurations(configurations);
                    }
                    builders.put(file, builder);
                }
            } catch (Exception e) {
                findings.add(unreadable(file, e));
            }
        }
        return builders;
    }

    /** The names of files that other files or the relay have, too. Call it after all files are read, with the components that they use. */
    private static List<CheckResult> refused(SharedNames names, Map<String, String> files) {
        List<CheckResult> problems = new ArrayList<>();
        Map<String, DefinedNames> defined = new TreeMap<>();
        files.forEach((name, text) -> {
            DefinedNames file = DefinedNames.in(name, text);
            names.refused(file, defined.values())
                    .forEach(each -> problems.add(CheckResult.problem(AREA, each.place(), each.text())));
            defined.put(name, file);
        });
        return problems;
    }

    /** Checks for early acknowledgement. Call it after all files are read: a route may continue in a route of another file. */
    private List<CheckResult> early() {
        List<CheckResult> findings = new ArrayList<>();
        for (Reader reader : readers) {
            RouteReport report = reader.report.to(findings);
            attempt(report, () -> reader.outbox
                    .problems(report.route())
                    .forEach(text -> findings.add(CheckResult.problem(
                            AREA, report.place(report.route()).toString(), text))));
            attempt(report, () -> reader.outbox.mistakes(report.route()).forEach(found -> placeOf(found.step(), report)
                    .problem(found.step(), found.text())));
        }
        return findings;
    }

    /** A report on a route with the file of a step, which may be in another route. */
    private RouteReport placeOf(ProcessorDefinition<?> step, RouteReport report) {
        RouteDefinition route = ProcessorDefinitionHelper.getRoute(step);
        String file = route == null ? null : fileOfRoute.get(route.getRouteId());
        return file == null || !texts.containsKey(file)
                ? report
                : new RouteReport(file, texts.get(file), report.route(), report.problems());
    }

    /** A check that fails, for example because of a placeholder in an unusual place, leaves the other problems visible. */
    private static void attempt(RouteReport report, Runnable check) {
        try {
            check.run();
        } catch (RuntimeException e) {
            report.problem("could not be checked: " + CamelReason.of(e));
        }
    }

    private static String origin(String name, Map<String, String> builtIn) {
        if (builtIn.containsKey(name)) {
            return ", built in";
        }
        return BuiltInRoutes.NAMES.contains(name) ? ", replaces the built-in file of this name" : "";
    }

    /** @param origin text after the number of routes */
    private List<CheckResult> findings(Path file, RoutesBuilder builder, String origin) {
        try {
            context.addRoutes(builder);
        } catch (Exception e) {
            return List.of(unreadable(file, e));
        }
        List<RouteDefinition> routes = newRoutes();
        List<CheckResult> problems = new ArrayList<>();
        if (routes.isEmpty()
                && file.toString().endsWith(".yaml")
                && !LIST.matcher(texts.get(name(file))).find()) {
            problems.add(CheckResult.problem(
                    AREA,
                    name(file),
                    "is not a list, so nothing of it is loaded. Write a dash before each route: - route:"));
        }
        if (builder instanceof RouteBuilder configured) {
            SharedNames.interceptions(configured)
                    .forEach(each -> problems.add(CheckResult.problem(
                            AREA,
                            Place.ofKey(name(file), texts.get(name(file)), each).toString(),
                            SharedNames.NO_INTERCEPTION)));
        }
        for (RouteDefinition route : routes) {
            RouteReport report = new RouteReport(name(file), texts.get(name(file)), route, problems);
            attempt(report, () -> check(report));
        }
        if (problems.stream().allMatch(CheckResult::ok)) {
            problems.add(0, CheckResult.ok(AREA, name(file), Formatted.counted(routes.size(), "route") + origin));
        }
        return problems;
    }

    private List<RouteDefinition> newRoutes() {
        return model().getRouteDefinitions().stream().filter(known::add).toList();
    }

    private CheckResult unreadable(Path file, Exception e) {
        String reason = Causes.root(e) instanceof UnsupportedOperationException
                ? "a step has its options on its line, but needs them by name, such as wireTap: {uri: …}"
                : CamelReason.of(e);
        String text = Place.without(reason)
                .replaceFirst("^unsupported field steps.*", "steps must be part of from, indented like its uri");
        return CheckResult.problem(AREA, Place.named(name(file), reason).toString(), "could not be read: " + text);
    }

    private String name(Path file) {
        return folder.relativize(file).toString();
    }

    private void check(RouteReport report) {
        RouteDefinition route = report.route();
        String id = route.getRouteId();
        if (id != null && fileOfRoute.putIfAbsent(id, report.file()) != null) {
            report.problem("has the same id as a route in " + fileOfRoute.get(id));
        }
        String from = route.getInput().getEndpointUri();
        if (from.startsWith("outbox:") && fileOfSubscription.putIfAbsent(subscription(from), report.file()) != null) {
            report.problem("reads subscription " + subscription(from) + ", and so does a route in "
                    + fileOfSubscription.get(subscription(from))
                    + ". Each route needs its own subscription name after outbox:");
        }
        List<String> repeated =
                ProcessorDefinitionHelper.gatherAllNodeIds(route, new ArrayList<>(), true, false).stream()
                        .filter(each -> !ids.add(each) && !each.equals(id))
                        .toList();
        if (!repeated.isEmpty()) {
            report.problem("has a step with the id " + repeated.get(0) + ", and so has another route. Rename one");
        }
        long others = report.count();
        endpoints
                .source(from, text -> report.problem(route.getInput(), text))
                .filter(OutboxEndpoint.class::isInstance)
                .map(OutboxEndpoint.class::cast)
                .ifPresent(outbox -> {
                    lanesOfSubscription.put(
                            outbox.getName(), outbox.getSubscription().getLanes());
                    readers.add(new Reader(report, outbox));
                    TypeHints.ofText(outbox.getSubscription().getTypes())
                            .forEach(hint -> report.hint(route.getInput(), hint));
                });
        steps.check(report);
        if (report.count() == others) {
            steps.create(report);
        }
    }

    private static String subscription(String uri) {
        return CheckedEndpoints.withoutQuery(uri).replaceFirst("^outbox:(//)?", "");
    }

    private Model model() {
        return context.getCamelContextExtension().getContextPlugin(Model.class);
    }

    /** The endpoints of the routes. */
    CheckedEndpoints endpoints() {
        return endpoints;
    }

    /** Whether a route reads messages of a type. */
    boolean read(String type) {
        return readers.stream()
                .anyMatch(reader ->
                        TypePatterns.match(reader.outbox.getSubscription().getTypes(), type));
    }

    /**
     * Returns the statements of routes that the database of the outbox refuses. Executes none.
     *
     * @param database with the schemas in which routes find their tables
     */
    public List<CheckResult> refusedStatements(DataSource database) throws SQLException {
        return steps.statements().findings(database);
    }

    /** Returns hints about routes that match none of the newest messages. Changes nothing, and reads a bounded number of messages. */
    public List<CheckResult> unmatchedTypes(DataSource database) throws SQLException {
        List<String> newest = TypeHints.newest(database);
        List<CheckResult> hints = new ArrayList<>();
        for (Reader reader : readers) {
            RouteReport report = reader.report.to(hints);
            TypeHints.unmatched(reader.outbox.getSubscription().getTypes(), newest)
                    .forEach(hint -> report.hint(report.route().getInput(), hint));
        }
        return hints;
    }

    /** The number of lanes in the route of each subscription. */
    public Map<String, Integer> lanesOfSubscriptions() {
        return Map.copyOf(lanesOfSubscription);
    }

    /** The largest {@code concurrency} of a route; 0 if no route reads the outbox. */
    public int largestConcurrency() {
        return readers.stream()
                .mapToInt(reader -> reader.outbox().getLimits().getConcurrency())
                .max()
                .orElse(0);
    }

    /** The names of the settings used in route files as {@code {{name}}}. */
    Set<String> settings() {
        return PLACEHOLDER
                .matcher(String.join("\n", texts.values()))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
