package dev.caravan.routes.check;

import dev.caravan.base.text.TextFile;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.camel.CamelContext;
import org.apache.camel.catalog.RuntimeCamelCatalog;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.tooling.model.ComponentModel;
import org.apache.camel.tooling.model.JsonMapper;
import org.apache.camel.tooling.model.MainModel;

/**
 * Camel's metadata on the options of Camel Main and of components: names, types and allowed values. Only requested options are
 * parsed, because parsing hundreds of them takes a tenth of the start time of a relay.
 */
final class CamelMetadata {
    private static final String MAIN = "/META-INF/camel-main-configuration-metadata.json";

    /** The beginning of a line with an option of a component or of Camel Main. */
    private static final Pattern OPTION =
            Pattern.compile(" {4}(?:\"([^\"]+)\": \\{|\\{ \"name\": \"([^\"]+)\", \"required\")");

    private final Map<String, Optional<String>> components = new HashMap<>();
    private final RuntimeCamelCatalog catalog;

    /** @param components the class loader for the metadata of components */
    CamelMetadata(ClassLoader components) {
        CamelContext context = new DefaultCamelContext();
        context.setApplicationContextClassLoader(components);
        context.build();
        catalog = context.getCamelContextExtension().getContextPlugin(RuntimeCamelCatalog.class);
    }

    /**
     * Returns a component with some of its options; empty when the component does not exist or has no metadata.
     *
     * @param requested the names of the options
     */
    Optional<ComponentModel> component(String scheme, Predicate<String> requested) {
        return components
                .computeIfAbsent(scheme, name -> Optional.ofNullable(catalog.componentJSonSchema(name)))
                .map(json -> JsonMapper.generateComponentModel(withOnly(requested, json)));
    }

    /** Some of the settings of Camel Main: {@code camel.main.*}, {@code camel.management.*} and the like; and their groups. */
    MainModel main(Predicate<String> requested) {
        return JsonMapper.generateMainModel(
                withOnly(requested, TextFile.resource(MAIN).orElseThrow()));
    }

    /** Removes the lines of other options. Each option has a line of its own. */
    private static String withOnly(Predicate<String> requested, String json) {
        return json.lines()
                .filter(line -> {
                    Matcher option = OPTION.matcher(line);
                    return !option.lookingAt()
                            || requested.test(option.group(1) == null ? option.group(2) : option.group(1));
                })
                .collect(Collectors.joining("\n"))
                .replaceAll(",(\n {2}[}\\]])", "$1");
    }
}
