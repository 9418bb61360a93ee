package dev.caravan.base.settings;

import java.io.IOException;
import java.util.Properties;
import org.apache.camel.impl.engine.SimpleCamelContext;
import org.apache.camel.spi.PropertiesComponent;

/**
 * Resolves placeholders such as {@code {{env:DB_URL:…}}} as Camel does. Creates a Camel context for this only if a value has a
 * placeholder: creating it searches all jars several times.
 */
final class Placeholders implements AutoCloseable {
    private final Properties values;
    private SimpleCamelContext context;

    /** @param values the settings to which placeholders refer; more can be added later */
    Placeholders(Properties values) {
        this.values = values;
    }

    /**
     * The value with its placeholders resolved, without surrounding blanks.
     *
     * @throws IllegalArgumentException if the value of a placeholder is missing
     */
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
