package dev.caravan.database;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.settings.UrlSecrets;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * How a session with the database begins.
 *
 * @param origin where the URL comes from, as errors name it
 * @param url a JDBC URL; what it sets takes precedence over the properties
 * @param user null for that of the URL
 * @param password null for that of the URL
 * @param properties those of the driver and of its plug-ins
 * @param unavailable why no session can begin now; null if one can
 */
record Login(
        String origin, String url, String user, String password, Map<String, String> properties, String unavailable) {
    static final String DEFAULT_URL = "jdbc:postgresql://localhost:5432/postgres";

    private static final String POSTGRES = "jdbc:postgresql:";

    /** @throws SettingsException if the URL is not one of Postgres, or has a user and a password before the host, as those of other drivers */
    Login {
        if (!url.toLowerCase(Locale.ROOT).startsWith(POSTGRES)) {
            throw invalid(origin);
        }
        // The driver would take them for a part of its name, which errors and logs contain.
        if (url.matches("(?i)jdbc:postgresql://[^/?]*(?:@|%40).*")) {
            throw new SettingsException(
                    origin + " must not contain a user and a password before the host. Set them by themselves: "
                            + "caravan.db.user and caravan.db.password (CARAVAN_DB_USER, CARAVAN_DB_PASSWORD) of a relay, the options user and"
                            + " password of the component outbox.");
        }
        parsed(origin, url);
    }

    Login(String origin, String url, String user, String password, Map<String, String> properties) {
        this(origin, url, user, password, properties, null);
    }

    /** Of a server that does not run. */
    static Login unavailable(String origin, String reason) {
        return new Login(origin, DEFAULT_URL, null, null, Map.of(), reason);
    }

    private static SettingsException invalid(String origin) {
        return new SettingsException(origin + " must be a JDBC URL such as " + DEFAULT_URL
                + ", or embedded: and a folder, but the given URL is invalid. Correct it and start again.");
    }

    private static Properties parsed(String origin, String url) {
        Properties parsed = Driver.parseURL(url, null);
        if (parsed == null) {
            throw invalid(origin);
        }
        return parsed;
    }

    /** A timeout of the URL or the properties; the default if they have none, or 0, which means unlimited there. */
    Duration timeout(PGProperty timeout, int seconds) {
        String given = given(timeout);
        try {
            int number = given == null ? 0 : Integer.parseInt(given);
            return Duration.ofSeconds(number > 0 ? number : seconds);
        } catch (NumberFormatException e) {
            throw new SettingsException("The number of seconds " + timeout.getName() + " in " + origin
                    + " is invalid. Correct it and start again.");
        }
    }

    /** A property of the URL, or else one of the properties; null if neither has it. */
    private String given(PGProperty property) {
        String inUrl = property.getSetString(parsed(origin, url));
        return inUrl == null ? properties.get(property.getName()) : inUrl;
    }

    /**
     * A source of sessions.
     *
     * @param fixed properties that take precedence over the URL
     * @param fallback values for properties that are not given, or have only the default of the driver
     */
    PGSimpleDataSource source(Map<PGProperty, String> fixed, Map<PGProperty, String> fallback) {
        PGSimpleDataSource source = new WithOthers(others());
        for (PGProperty property : PGProperty.values()) {
            String given = given(property);
            boolean isDefault = given == null || given.equals(property.getDefaultValue());
            String value = fixed.getOrDefault(property, isDefault ? fallback.getOrDefault(property, given) : given);
            if (value != null) {
                source.setProperty(property, value);
            }
        }
        source.setUrl(url); // what is set already stays
        if (user != null) {
            source.setUser(user);
        }
        if (password != null) {
            source.setPassword(password);
        }
        return source;
    }

    /** Parameters that the driver does not know, for its plug-ins: a socket factory or an authentication of a cloud. As a part of a URL. */
    private String others() {
        Properties all = new Properties();
        all.putAll(properties);
        all.putAll(parsed(origin, url));
        return new TreeSet<>(all.stringPropertyNames())
                .stream()
                        .filter(name -> PGProperty.forName(name) == null && name.matches("[\\w.-]+"))
                        .map(name -> name + "=" + URLEncoder.encode(all.getProperty(name), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"));
    }

    /** The data source of the driver itself forgets what the driver does not know. */
    private static final class WithOthers extends PGSimpleDataSource {
        private static final long serialVersionUID = 1;

        private final String others;

        WithOthers(String others) {
            this.others = others;
        }

        @Override
        public String getUrl() {
            String url = super.getUrl();
            return others.isEmpty() ? url : url + (url.contains("?") ? "&" : "?") + others;
        }
    }

    /** A text of the driver without the secrets of the URL. */
    String withoutSecrets(String text) {
        return UrlSecrets.without(Stream.of(url), text);
    }

    /** Without secrets, which the URL may contain too. */
    @Override
    public String toString() {
        return "Login from " + origin;
    }
}
