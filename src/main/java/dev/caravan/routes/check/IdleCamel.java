package dev.caravan.routes.check;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.settings.SettingsFirst;
import dev.caravan.base.text.Sentence;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.database.Database;
import dev.caravan.routes.component.UserJars;
import dev.caravan.routes.context.CamelMain;
import dev.caravan.routes.context.CamelReason;
import dev.caravan.routes.context.CamelSettings;
import dev.caravan.routes.tryout.Lookups;
import dev.caravan.routes.tryout.Secrets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;

/** A Camel context with the settings of the relay that is never started. Finds settings that Camel refuses. */
final class IdleCamel implements AutoCloseable {
    /** Disabled, because they open ports or register beans and could conflict with a relay in this process. */
    private static final List<String> OFF = List.of(
            "camel.management.enabled", "camel.server.enabled", "camel.metrics.enabled", "camel.main.jmxEnabled");

    private final Lookups lookups;
    private final CamelMain main;
    private final CamelContext context;
    private final CheckResult settings;

    /** @param usable the settings that passed the checks without Camel */
    IdleCamel(Settings settings, Map<String, String> usable) {
        lookups = new Lookups(settings);
        Properties properties = properties(usable);
        main = new CamelMain(UserJars.of(settings).classLoader(), lookups);
        main.setDefaultPropertyPlaceholderLocation("false");
        main.setInitialProperties(properties);
        main.bind("dataSource", dataSource(settings));
        main.bind("outbox", outbox());
        CheckResult finding = CheckResult.ok("settings", "camel.*", "Camel accepts all values");
        try {
            main.init();
        } catch (RuntimeException e) {
            finding = CheckResult.problem(
                    "settings", "camel.*", Sentence.of(CamelReason.of(e)) + " Correct the name or the value");
        }
        this.settings = finding;
        this.context = finding.ok() ? main.getCamelContext() : withoutComponentSettings(properties, settings);
    }

    private static Properties properties(Map<String, String> settings) {
        Properties properties = CamelSettings.of(settings);
        OFF.forEach(name -> properties.setProperty(name, "false"));
        return properties;
    }

    /** Has no database. The files with the error handling are loaded as by a relay. */
    private static OutboxComponent outbox() {
        OutboxComponent component = new OutboxComponent();
        component.setErrorHandling(false);
        component.setOnDemand(append -> {});
        return component;
    }

    /** A data source that never connects; with wrong settings, one without them. */
    private static DataSource dataSource(Settings settings) {
        try {
            return Database.forCommand(settings);
        } catch (SettingsException e) {
            return Database.unpooled("jdbc:postgresql://localhost/none", null, null); // reported with the settings
        }
    }

    private CamelContext withoutComponentSettings(Properties properties, Settings settings) {
        DefaultCamelContext context = new DefaultCamelContext();
        context.setApplicationContextClassLoader(UserJars.of(settings).classLoader());
        SettingsFirst.in(context, lookups);
        Properties others = new Properties();
        others.putAll(properties);
        others.keySet().removeIf(name -> name.toString().startsWith("camel.component.outbox.")); // it reads them itself
        context.getPropertiesComponent().setInitialProperties(others);
        context.getRegistry().bind("dataSource", dataSource(settings));
        context.getRegistry().bind("outbox", outbox());
        context.build();
        return context;
    }

    CheckResult finding() {
        return settings;
    }

    Secrets secrets() {
        return lookups.secrets();
    }

    CamelContext context() {
        return context;
    }

    @Override
    public void close() throws Exception {
        context.stop();
        context.close();
        main.stop();
    }
}
