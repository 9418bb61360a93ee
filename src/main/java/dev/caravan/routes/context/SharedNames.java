package dev.caravan.routes.context;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.guard.MessageIds;
import dev.caravan.camel.guard.MethodsOfValues;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.Component;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.builder.RouteConfigurationBuilder;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.impl.engine.DefaultComponentResolver;
import org.apache.camel.impl.engine.DefaultDataFormatResolver;
import org.apache.camel.impl.engine.DefaultLanguageResolver;
import org.apache.camel.model.InterceptSendToEndpointDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.spi.DataFormat;
import org.apache.camel.spi.Language;
import org.apache.camel.spi.PropertyConfigurerGetter;

/**
 * The names that all route files of a Camel context share. Camel takes one of two definitions with the same name, without a word, and
 * the routes of both files use it. So what a file defines is refused if it would change what the routes of another file send, or where.
 */
public final class SharedNames {
    /** What the relay and its Camel context bind; some of it later than the first check. */
    private static final Set<String> OF_THE_RELAY = Set.of(
            "dataSource",
            "outbox",
            "global-variable-repository",
            "route-variable-repository",
            "header-variable-repository",
            "filesNotLoaded",
            "vertx",
            "health",
            MicrometerConstants.METRICS_REGISTRY_NAME,
            MessageIds.BEAN,
            MethodsOfValues.BEAN,
            ExactNumbers.BEAN);

    /** The beginning of names that Camel's HTTP server binds while it runs. */
    private static final String BOUND_LATER = "platform-http-";

    /** Beans of these types replace what Camel has under the same name. */
    private static final Map<Class<?>, String> REPLACING = Map.of(
            Component.class, DefaultComponentResolver.RESOURCE_PATH,
            DataFormat.class, DefaultDataFormatResolver.DATAFORMAT_RESOURCE_PATH,
            Language.class, DefaultLanguageResolver.LANGUAGE_RESOURCE_PATH);

    private final CamelContext context;
    private final Set<String> reserved;

    private SharedNames(CamelContext context, Set<String> reserved) {
        this.context = context;
        this.reserved = reserved;
    }

    /** @param loaded those of the files that the context has loaded */
    public static SharedNames of(CamelContext context, Collection<DefinedNames> loaded) {
        Set<String> reserved = new TreeSet<>(
                context.getRegistry().findByTypeWithName(Object.class).keySet());
        loaded.forEach(file -> file.names().forEach(defined -> reserved.remove(defined.name())));
        reserved.addAll(OF_THE_RELAY);
        return new SharedNames(context, reserved);
    }

    /**
     * A definition that is refused.
     *
     * @param place the file and the line
     * @param text the reason, and what to do
     */
    public record Refused(String place, String text) {
        @Override
        public String toString() {
            return place + ": " + text;
        }
    }

    /**
     * What a file must not define.
     *
     * @param others those of other files; of the file itself they are ignored
     */
    public List<Refused> refused(DefinedNames file, Collection<DefinedNames> others) {
        List<Refused> refused = new ArrayList<>();
        List<DefinedNames> before = new ArrayList<>(others);
        before.removeIf(other -> other.file().equals(file.file()));
        for (DefinedNames.Name defined : file.names()) {
            alone(defined)
                    .or(() -> twin(defined, before))
                    .ifPresent(reason -> refused.add(new Refused(file.place(defined), reason)));
            before.add(new DefinedNames(file.file(), List.of(defined))); // a file may have a name twice
        }
        return refused;
    }

    /** Why no file must define it. */
    private Optional<String> alone(DefinedNames.Name defined) {
        if (defined.kind() == DefinedNames.Kind.REST_CONFIGURATION) {
            return Optional.of("restConfiguration applies to the routes of all files. Write its options into"
                    + " application.properties, as camel.rest.NAME");
        }
        if (defined.kind() != DefinedNames.Kind.BEAN) {
            return Optional.empty();
        }
        String name = defined.name();
        if (reserved.contains(name) || name.startsWith(BOUND_LATER)) {
            return Optional.of("bean " + name + " would replace the one of the relay or of the settings for the routes"
                    + " of all files. Rename it" + inSettings(name, ", or, to replace that one, declare it"));
        }
        return type(defined).flatMap(type -> {
            if (REPLACING.entrySet().stream()
                    .anyMatch(each -> each.getKey().isAssignableFrom(type) && isOfCamel(name, each.getValue()))) {
                return Optional.of(
                        "bean " + name + " would replace that of Camel for the routes of all files. Rename it"
                                + inSettings(name, ", or declare it"));
            }
            return Stream.concat(Stream.of(ObjectMapper.class), autowired())
                    .filter(each -> each.isAssignableFrom(type))
                    .findFirst()
                    .map(each -> "Camel would use bean " + name + " for the routes of all files, because it is a "
                            + each.getName() + ". Declare it" + inSettings(name, ""));
        });
    }

    private static String inSettings(String name, String begin) {
        return begin + " in application.properties, as camel.beans." + name + "=#class:…";
    }

    private Optional<Class<?>> type(DefinedNames.Name bean) {
        String name = bean.type().replaceFirst("^#class:", "").replaceFirst("[#(].*", "");
        return Optional.ofNullable(context.getClassResolver().resolveClass(name));
    }

    private boolean isOfCamel(String name, String path) {
        String plain = name.replaceFirst("-(component|dataformat|language)$", "");
        return context.getCamelContextExtension()
                .getBootstrapFactoryFinder(path)
                .findClass(plain)
                .isPresent();
    }

    /** The types of the options for which components take the only bean of the type. There are always data sources, so none is taken. */
    private Stream<Class<?>> autowired() {
        return context.getComponentNames().stream()
                .map(name -> context.hasComponent(name).getComponentPropertyConfigurer())
                .filter(PropertyConfigurerGetter.class::isInstance)
                .map(PropertyConfigurerGetter.class::cast)
                .flatMap(options -> Stream.of(Objects.requireNonNullElse(options.getAutowiredNames(), new String[0]))
                        .<Class<?>>map(option -> options.getOptionType(option, true)))
                .filter(type -> type != null && type != Object.class && type != DataSource.class);
    }

    /** Where the same name is defined once more. */
    private static Optional<String> twin(DefinedNames.Name defined, List<DefinedNames> all) {
        return all.stream()
                .flatMap(file -> file.names().stream()
                        .filter(other -> isSame(defined, other))
                        .map(other -> text(defined, other, file.place(other))))
                .findFirst();
    }

    private static String text(DefinedNames.Name defined, DefinedNames.Name other, String place) {
        return defined.kind() + " " + defined.name() + " has the name of a " + other.kind() + " in " + place
                + ", and the routes of both would use the same one. Rename one"
                + (defined.kind() == DefinedNames.Kind.BEAN
                        ? inSettings(defined.name(), ". A bean that several files use belongs")
                        : "");
    }

    private static boolean isSame(DefinedNames.Name one, DefinedNames.Name other) {
        return !one.name().isEmpty()
                && one.name().equals(other.name())
                && one.kind().excludes(other.kind());
    }

    /**
     * The interceptions of what is sent to an endpoint. Camel applies them to the routes of all files, and until it stops.
     *
     * @param configured a builder after its configuration
     */
    public static List<InterceptSendToEndpointDefinition> interceptions(RouteBuilder configured) {
        List<InterceptSendToEndpointDefinition> found = new ArrayList<>();
        configured.getRouteCollection().getRoutes().forEach(route -> found.addAll(interceptions(route)));
        Model model = configured.getContext().getCamelContextExtension().getContextPlugin(Model.class);
        model.getRouteConfigurationDefinitions().forEach(each -> found.removeAll(interceptions(each)));
        found.addAll(configured.getRouteCollection().getInterceptSendTos());
        configured
                .getRouteTemplateCollection()
                .getRouteTemplates()
                .forEach(template -> found.addAll(interceptions(template.getRoute())));
        if (configured instanceof RouteConfigurationBuilder configurations) {
            configurations
                    .getRouteConfigurationCollection()
                    .getRouteConfigurations()
                    .forEach(each -> found.addAll(interceptions(each)));
        }
        return found.stream().distinct().toList();
    }

    private static Collection<InterceptSendToEndpointDefinition> interceptions(RouteConfigurationDefinition clauses) {
        List<ProcessorDefinition<?>> all = new ArrayList<>(clauses.getInterceptSendTos());
        all.addAll(clauses.getIntercepts());
        all.addAll(clauses.getInterceptFroms());
        all.addAll(clauses.getOnExceptions());
        all.addAll(clauses.getOnCompletions());
        return ProcessorDefinitionHelper.filterTypeInOutputs(all, InterceptSendToEndpointDefinition.class);
    }

    /** Those of a route, and of what applies to it. */
    public static Collection<InterceptSendToEndpointDefinition> interceptions(RouteDefinition route) {
        return ProcessorDefinitionHelper.filterTypeInOutputs(
                route.getOutputs(), InterceptSendToEndpointDefinition.class);
    }

    /** What to do instead of an interception. */
    public static final String NO_INTERCEPTION =
            "interceptSendToEndpoint applies to the routes of all files. Write its steps before the step that sends,"
                    + " or into a route from direct: that the routes call";
}
