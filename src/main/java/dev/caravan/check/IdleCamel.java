package dev.caravan.check;

import dev.caravan.database.Database;
import dev.caravan.relay.CamelSettings;
import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.main.Main;

/** A Camel with the settings of the relay that is never started, to find what it would refuse. */
final class IdleCamel implements AutoCloseable {
    /** What would open ports or register beans, also beside a relay that runs in this process. */
    private static final List<String> OFF = List.of(
            "camel.management.enabled", "camel.server.enabled", "camel.metrics.enabled", "camel.main.jmxEnabled");

    private final Main main = new Main();
    private final CamelContext context;
    private final Finding settings;

    /** @param usable the settings whose names and values are known to be right, as far as that can be told without Camel */
    IdleCamel(Settings settings, Map<String, String> usable) {
        Properties properties = properties(usable);
        main.setDefaultPropertyPlaceholderLocation("false");
        main.setInitialProperties(properties);
        main.bind("dataSource", dataSource(settings));
        Finding finding = Finding.ok("settings", "camel.*", "Camel takes all values");
        try {
            main.init();
        } catch (RuntimeException e) {
            finding = Finding.problem("settings", "camel.*", reason(e) + ". Correct the name or the value");
        }
        this.settings = finding;
        this.context = finding.ok() ? main.getCamelContext() : withoutComponentSettings(properties, settings);
    }

    private static Properties properties(Map<String, String> settings) {
        Properties properties = CamelSettings.of(settings);
        OFF.forEach(name -> properties.setProperty(name, "false"));
        return properties;
    }

    /** Connected to by nobody; any one will do when the settings of the real one are wrong. */
    private static DataSource dataSource(Settings settings) {
        try {
            return Database.forCommand(settings);
        } catch (SettingsException e) {
            return Database.unpooled("jdbc:postgresql://localhost/none", null, null); // reported among the settings
        }
    }

    private static CamelContext withoutComponentSettings(Properties properties, Settings settings) {
        DefaultCamelContext context = new DefaultCamelContext();
        context.getPropertiesComponent().setInitialProperties(properties);
        context.getRegistry().bind("dataSource", dataSource(settings));
        context.build();
        return context;
    }

    Finding finding() {
        return settings;
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
