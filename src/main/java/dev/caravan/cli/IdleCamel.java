package dev.caravan.cli;

import dev.caravan.schema.Database;
import dev.caravan.settings.Settings;
import java.util.List;
import java.util.Properties;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.main.Main;

/** A Camel with the settings of the relay that is never started, to find what it would refuse. */
final class IdleCamel implements AutoCloseable {
    private final Main main = new Main();
    private final CamelContext context;
    private final Finding settings;

    IdleCamel(Settings settings) {
        Properties properties = properties(settings);
        main.setDefaultPropertyPlaceholderLocation("false");
        main.setInitialProperties(properties);
        main.bind("dataSource", Database.forCommand(settings));
        Finding finding = Finding.ok("settings", "camel.*", "Camel takes all values");
        try {
            main.init();
        } catch (RuntimeException e) {
            finding = Finding.problem("settings", "camel.*", reason(e) + ". Correct the name or the value");
        }
        this.settings = finding;
        this.context = finding.ok() ? main.getCamelContext() : withoutComponentSettings(properties, settings);
    }

    /** An empty value means not set, here as for our own settings; Camel would refuse it. */
    private static Properties properties(Settings settings) {
        Properties properties = new Properties();
        properties.putAll(settings.all());
        properties
                .entrySet()
                .removeIf(setting -> setting.getKey().toString().startsWith("camel.")
                        && setting.getValue().toString().isEmpty());
        return properties;
    }

    private static CamelContext withoutComponentSettings(Properties properties, Settings settings) {
        DefaultCamelContext context = new DefaultCamelContext();
        context.getPropertiesComponent().setInitialProperties(properties);
        context.getRegistry().bind("dataSource", Database.forCommand(settings));
        context.build();
        return context;
    }

    List<Finding> findings() {
        return List.of(settings);
    }

    CamelContext context() {
        return context;
    }

    /** The innermost reason on one line; Camel wraps it in others that only repeat where it was. */
    static String reason(Throwable thrown) {
        Throwable innermost = thrown;
        while (innermost.getCause() != null && innermost.getCause() != innermost) {
            innermost = innermost.getCause();
        }
        String message = innermost.getMessage() == null ? innermost.getClass().getSimpleName() : innermost.getMessage();
        return message.strip().replaceAll("\\s*\\R\\s*", " ");
    }

    @Override
    public void close() throws Exception {
        context.stop();
        context.close();
        main.stop();
    }
}
