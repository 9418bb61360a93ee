package dev.caravan.routes.context;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.settings.UrlSecrets;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.NearestName;
import dev.caravan.base.text.Sentence;
import dev.caravan.database.Database;
import dev.caravan.routes.component.UserJars;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The data sources that the settings describe ({@code camel.beans.NAME}), for commands, which start no routes. Each is created by Camel with the
 * jars of the folder {@code lib}, as in a relay, and only when it is used: a wrong one does not hide the others. The pool {@code dataSource} of
 * the routes is unpooled connections here. Used by one thread, which has the class loader of the jars until {@link #close()}.
 */
public final class SettingsBeans implements AutoCloseable {
    private static final String PREFIX = "camel.beans.";
    private static final String OF_ROUTES = "dataSource";
    private static final Pattern BEAN = Pattern.compile("camel\\.beans\\.([\\w-]+)([.\\[].+)?");
    private static final Pattern REFERENCE = Pattern.compile("#(?:bean|autowired):([\\w-]+).*");
    private static final Pattern KIND_OF_URL = Pattern.compile("(jdbc:[\\w-]+:).*", Pattern.DOTALL);

    private final Settings settings;
    private final UserJars jars;
    private final UserJars.Use used;
    private final Function<String, Optional<DataSource>> others;
    private final Map<String, DataSource> sources = new HashMap<>();
    private final Map<String, CamelMain> created = new HashMap<>();

    public SettingsBeans(Settings settings) {
        this(settings, name -> Optional.empty());
    }

    /** @param others finds a data source that the settings do not describe, such as one of a route file */
    public SettingsBeans(Settings settings, Function<String, Optional<DataSource>> others) {
        this.settings = settings;
        this.others = others;
        jars = UserJars.of(settings);
        used = jars.use();
    }

    /**
     * The data source with this name. Repeated calls return the same one.
     *
     * @throws SettingsException if the settings do not describe it, or it cannot be created; the message says what to write
     */
    public DataSource dataSource(String name) {
        if (!sources.containsKey(name)) {
            sources.put(name, name.equals(OF_ROUTES) ? Database.forAnyTable(settings) : create(name));
        }
        return sources.get(name);
    }

    /**
     * A connection of the data source with this name.
     *
     * @throws SettingsException if there is no such data source, or no driver for its database
     * @throws SQLException if the database refuses the connection; the message names the bean, and contains no secret
     */
    public Connection connect(String name) throws SQLException {
        DataSource source = dataSource(name);
        try {
            return source.getConnection();
        } catch (SQLException | RuntimeException e) {
            SQLException refusal = Causes.of(e)
                    .filter(SQLException.class::isInstance)
                    .map(SQLException.class::cast)
                    .reduce((outer, inner) -> inner.getMessage() == null ? outer : inner)
                    .orElseThrow(() -> new SettingsException(
                            "Could not open the data source " + name + ": " + Sentence.of(reason(e, source))));
            String reason = reason(refusal, source);
            if (reason.contains("No suitable driver")) {
                throw new SettingsException("No JDBC driver was found for the data source " + name + kindOfUrl(name)
                        + " in the relay and in " + jars.folder() + ". " + JdbcDriver.advice(url(name)));
            }
            throw new SQLException(
                    "Could not connect to the database of the data source " + name + ": " + Sentence.of(reason)
                            + (name.equals(OF_ROUTES) ? "" : " Check the settings " + PREFIX + name + "."),
                    refusal.getSQLState(),
                    refusal.getErrorCode(),
                    refusal);
        }
    }

    private String reason(Throwable thrown, DataSource source) {
        String line = String.valueOf(thrown.getMessage()).lines().findFirst().orElse("");
        return ErrorText.withoutSecrets(UrlSecrets.without(
                Stream.concat(
                        settings.all().values().stream(),
                        source instanceof HikariDataSource pool ? Stream.ofNullable(pool.getJdbcUrl()) : Stream.of()),
                line));
    }

    private String url(String name) {
        return List.of("jdbcUrl", "url", "jdbc-url", "URL").stream()
                .map(option -> settings.text(PREFIX + name + "." + option, ""))
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Only the beginning of the URL: the rest may contain a password. */
    private String kindOfUrl(String name) {
        Matcher kind = KIND_OF_URL.matcher(url(name));
        return kind.matches() ? " (" + kind.group(1) + ")" : "";
    }

    private DataSource create(String name) {
        Set<String> names = settings.all().keySet().stream()
                .map(BEAN::matcher)
                .filter(Matcher::matches)
                .map(bean -> bean.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        if (!names.contains(name)) {
            return others.apply(name).orElseThrow(() -> unknown(name, names));
        }
        Map<String, String> needed = needed(name);
        MissingClasses.of(needed, jars.classLoader()).values().stream()
                .findFirst()
                .ifPresent(missing -> {
                    throw new SettingsException("Could not create the data source " + name + ": " + missing.owner()
                            + ": " + Sentence.of(missing.text()) + " Components and jars are in " + jars.folder()
                            + ".");
                });
        return bean(name, needed);
    }

    private static SettingsException unknown(String name, Set<String> names) {
        return new SettingsException("There is no data source " + name + " in the settings"
                + NearestName.to(name, names)
                        .map(near -> ", did you mean " + near + "?")
                        .orElseGet(() -> ". Write into application.properties:\n"
                                + lines(name, "jdbc:mariadb://HOST:3306/DATABASE", "USER") + "\n"
                                + JdbcDriver.advice("")));
    }

    /** The settings that describe a data source in this database: a pool of two connections, with a password from the environment. */
    public static String lines(String name, String url, String user) {
        String variable =
                name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").replace('-', '_').toUpperCase(Locale.ROOT);
        return PREFIX + name + "=#class:com.zaxxer.hikari.HikariDataSource\n"
                + PREFIX + name + ".jdbcUrl=" + url.replace("\\", "\\\\") + "\n"
                + PREFIX + name + ".username=" + user + "\n"
                + PREFIX + name + ".password={{env:" + variable + "_PASSWORD}}\n"
                + PREFIX + name + ".maximumPoolSize=2";
    }

    /** The settings of the bean and of the beans that it refers to. */
    private Map<String, String> needed(String name) {
        Map<String, String> needed = new HashMap<>();
        Set<String> done = new LinkedHashSet<>();
        List<String> open = List.of(name);
        while (!open.isEmpty()) {
            done.addAll(open);
            Set<String> references = new TreeSet<>();
            settings.all().forEach((key, value) -> {
                Matcher bean = BEAN.matcher(key);
                if (bean.matches() && done.contains(bean.group(1)) && !value.isEmpty()) {
                    needed.put(key, value);
                    Matcher reference = REFERENCE.matcher(value);
                    if (reference.matches()) {
                        references.add(reference.group(1));
                    }
                }
            });
            references.removeAll(done);
            open = List.copyOf(references);
        }
        return needed;
    }

    private DataSource bean(String name, Map<String, String> needed) {
        Properties properties = new Properties();
        properties.putAll(needed);
        properties.setProperty("camel.main.jmxEnabled", "false");
        properties.setProperty("camel.main.autoConfigurationLogSummary", "false");
        CamelMain main = new CamelMain(jars.classLoader());
        main.setDefaultPropertyPlaceholderLocation("false"); // the settings are already resolved
        main.setInitialProperties(properties);
        try {
            main.init();
        } catch (RuntimeException e) {
            main.stop();
            if (Causes.root(e) instanceof ClassNotFoundException missing) {
                throw new SettingsException("Could not create the data source " + name + ": its driver "
                        + missing.getMessage() + " is neither in the relay nor in " + jars.folder() + ". "
                        + JdbcDriver.advice(url(name)));
            }
            throw new SettingsException("Could not create the data source " + name + " from the settings " + PREFIX
                    + name + ": " + Sentence.of(CamelReason.of(e)));
        }
        created.put(name, main);
        Object bean = main.getCamelContext().getRegistry().lookupByName(name);
        if (bean instanceof DataSource source) {
            return source;
        }
        throw new SettingsException("The bean " + name + " of the settings is "
                + (bean == null ? "missing" : "a " + bean.getClass().getName()) + ", not a javax.sql.DataSource. Set "
                + PREFIX + name + "=#class:com.zaxxer.hikari.HikariDataSource, or name another bean.");
    }

    /** Closes pools, and restores the class loader of the thread. */
    @Override
    public void close() {
        try {
            for (DataSource source : sources.values()) {
                if (source instanceof AutoCloseable pool) {
                    pool.close();
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException("Could not close a data source", e);
        } finally {
            created.values().forEach(CamelMain::stop);
            used.close();
        }
    }
}
