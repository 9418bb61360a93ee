package dev.caravan.settings;

import java.io.IOException;
import java.util.Properties;
import org.apache.camel.impl.engine.SimpleCamelContext;
import org.apache.camel.spi.PropertiesComponent;

/**
 * Resolves placeholders such as {@code {{env:DB_URL:…}}} as Camel does. The Camel context for it is made for the first value that has
 * one: it searches all jars several times.
 */
final class Placeholders implements AutoCloseable {
    private final Properties values;
    private SimpleCamelContext context;

    /** @param values what placeholders may name; it may get more values later */
    Placeholders(Properties values) {
        this.values = values;
    }

    /** @throws IllegalArgumentException if the value of a placeholder is missing */
    String resolve(String value) {
        String resolved =
                value.contains(PropertiesComponent.PREFIX_TOKEN) ? context().resolvePropertyPlaceholders(value) : value;
        return resolved.trim();
    }

    private SimpleCamelContext context() {
        if (context == null) {
            context = new SimpleCamelContext();
            SettingsFirst.in(context);
            context.getPropertiesComponent().setInitialProperties(values);
            context.build();
        }
        return context;
    }

    @Override
    public void close() throws IOException {
        if (context != null) {
            context.close();
        }
    }
}
