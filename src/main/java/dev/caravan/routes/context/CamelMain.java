package dev.caravan.routes.context;

import dev.caravan.base.settings.SettingsFirst;
import org.apache.camel.CamelContext;
import org.apache.camel.PropertiesLookupListener;
import org.apache.camel.main.Main;

/** Camel Main with a class loader for the jars of the user, which finds components, languages, converters and beans. */
public class CamelMain extends Main {
    private final ClassLoader loader;
    private final PropertiesLookupListener lookups;

    public CamelMain(ClassLoader loader) {
        this(loader, (name, value, fallback, source) -> {});
    }

    /** @param lookups gets the value of each placeholder, as {@link SettingsFirst#in(CamelContext, PropertiesLookupListener)} reports it */
    public CamelMain(ClassLoader loader, PropertiesLookupListener lookups) {
        this.loader = loader;
        this.lookups = lookups;
    }

    public final ClassLoader classLoader() {
        return loader;
    }

    @Override
    protected CamelContext createCamelContext() {
        CamelContext context = new RelayContext(registry);
        context.setApplicationContextClassLoader(loader);
        SettingsFirst.in(context, lookups);
        context.addRoutePolicyFactory(new OtherFailures());
        return context;
    }
}
