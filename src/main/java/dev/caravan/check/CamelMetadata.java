package dev.caravan.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.camel.CamelContext;
import org.apache.camel.catalog.RuntimeCamelCatalog;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.main.Main;
import org.apache.camel.tooling.model.ComponentModel;
import org.apache.camel.tooling.model.JsonMapper;
import org.apache.camel.tooling.model.MainModel;

/** Camel's metadata on the options of Camel Main and of components: names, types and allowed values. */
final class CamelMetadata {
    private static final String MAIN = "/META-INF/camel-main-configuration-metadata.json";

    private final Map<String, Optional<ComponentModel>> components = new HashMap<>();
    private final RuntimeCamelCatalog catalog;

    CamelMetadata() {
        CamelContext context = new DefaultCamelContext();
        context.build();
        catalog = context.getCamelContextExtension().getContextPlugin(RuntimeCamelCatalog.class);
    }

    /** Empty when the component does not exist or has no metadata. */
    Optional<ComponentModel> component(String scheme) {
        return components.computeIfAbsent(scheme, name -> Optional.ofNullable(catalog.componentJSonSchema(name))
                .map(JsonMapper::generateComponentModel));
    }

    /** The settings of Camel Main: {@code camel.main.*}, {@code camel.management.*} and the like. */
    MainModel main() {
        try (var stream = Main.class.getResourceAsStream(MAIN)) {
            return JsonMapper.generateMainModel(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
