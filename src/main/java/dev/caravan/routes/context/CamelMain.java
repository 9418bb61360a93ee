package dev.caravan.routes.context;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.settings.SettingsFirst;
import dev.caravan.database.UselessConnection;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.engine.DefaultInjector;
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
        ExactNumbers.in(context);
        ExactBytes.in(context);
        context.addRoutePolicyFactory(new OtherFailures());
        context.setInjector(new Pools(context));
        return context;
    }

    /** Pools that settings and routes define do not keep a connection whose server has become read-only, unless they say otherwise. */
    private static final class Pools extends DefaultInjector {
        Pools(CamelContext context) {
            super(context);
        }

        @Override
        public <T> T newInstance(Class<T> type, boolean postProcessBean) {
            T bean = super.newInstance(type, postProcessBean);
            if (bean instanceof HikariDataSource pool) {
                pool.setExceptionOverride(new UselessConnection(pool));
            }
            return bean;
        }
    }
}
