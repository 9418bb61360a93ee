package dev.caravan.routes.context;

import dev.caravan.base.settings.SettingsFirst;
import org.apache.camel.CamelContext;
import org.apache.camel.main.Main;

/** Camel Main with a class loader for the jars of the user, which finds components, languages, converters and beans. */
public class CamelMain extends Main {
    private final ClassLoader loader;

    public CamelMain(ClassLoader loader) {
        this.loader = loader;
    }

    public final ClassLoader classLoader() {
        return loader;
    }

    @Override
    protected CamelContext createCamelContext() {
        CamelContext context = new RelayContext(registry);
        context.setApplicationContextClassLoader(loader);
        SettingsFirst.in(context);
        context.addRoutePolicyFactory(new OtherFailures());
        return context;
    }
}
