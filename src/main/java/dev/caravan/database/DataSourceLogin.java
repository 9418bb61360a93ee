package dev.caravan.database;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.PropertyElf;
import dev.caravan.base.settings.SettingsException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.Principal;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.ds.common.BaseDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.UserCredentialsDataSourceAdapter;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Reads the URL, user and password of a data source of an application: of the pools HikariCP, DBCP2, Tomcat, Agroal and c3p0, of the data
 * sources of the driver and of Spring, and of what wraps one of these. Only HikariCP, Spring and the driver are required; the others are asked by
 * the names of their methods.
 */
final class DataSourceLogin {
    /** Drivers that observe another one. */
    private static final Set<String> OBSERVERS = Set.of("jdbc:p6spy:", "jdbc:otel:");

    private static final String REMEDY =
            " Set the options url, user and password of the component outbox (camel.component.outbox.url, ….user,"
                    + " ….password), or its option dataSource to another data source (#bean:NAME).";

    private final DataSource given;

    private DataSourceLogin(DataSource given) {
        this.given = given;
    }

    /** @throws SettingsException if the data source cannot be read, or has no database of Postgres; the message names its class, and no secret */
    static Login of(DataSource source) {
        return new DataSourceLogin(source).read(source);
    }

    private Login read(DataSource source) {
        if (source instanceof AbstractRoutingDataSource || source instanceof UserCredentialsDataSourceAdapter) {
            throw unreadable(); // has several databases, or another user
        }
        if (source instanceof HikariDataSource pool) {
            return hikari(pool);
        }
        if (source instanceof BaseDataSource driver) {
            return login(driver.getUrl(), driver.getUser(), driver.getPassword(), new Properties());
        }
        DataSource inner = inner(source);
        if (inner != null) {
            return read(inner);
        }
        Object agroal = call(
                call(call(source, "getConfiguration"), "connectionPoolConfiguration"),
                "connectionFactoryConfiguration");
        if (agroal != null) {
            return agroal(agroal);
        }
        Object tomcat = call(source, "getPoolProperties"); // the pool itself has a text instead of the password
        return bean(tomcat == null ? source : tomcat);
    }

    private Login hikari(HikariDataSource pool) {
        Object credentials = call(call(pool, "getCredentialsProvider"), "getCredentials"); // exists since version 7
        String user = credentials == null ? pool.getUsername() : text(credentials, "getUsername");
        String password = credentials == null ? pool.getPassword() : text(credentials, "getPassword");
        if (pool.getDataSource() == null && pool.getDataSourceClassName() == null) {
            return login(pool.getJdbcUrl(), user, password, pool.getDataSourceProperties());
        }
        Login inner = read(pool.getDataSource() == null ? created(pool) : pool.getDataSource());
        return new Login(
                inner.origin(),
                inner.url(),
                user == null ? inner.user() : user,
                password == null ? inner.password() : password,
                inner.properties());
    }

    /** What the pool itself creates. */
    private DataSource created(HikariDataSource pool) {
        try {
            Class<?> type = Class.forName(pool.getDataSourceClassName(), true, BaseDataSource.class.getClassLoader());
            if (!BaseDataSource.class.isAssignableFrom(type)) {
                throw unreadable();
            }
            Object source = type.getDeclaredConstructor().newInstance();
            PropertyElf.setTargetFromProperties(source, pool.getDataSourceProperties());
            return (DataSource) source;
        } catch (ReflectiveOperationException e) {
            throw unreadable();
        }
    }

    private static DataSource inner(DataSource source) {
        if (source instanceof DelegatingDataSource delegating) {
            return delegating.getTargetDataSource();
        }
        try {
            if (source.isWrapperFor(HikariDataSource.class)) {
                return source.unwrap(HikariDataSource.class);
            }
            return source.isWrapperFor(BaseDataSource.class) ? (DataSource) source.unwrap(BaseDataSource.class) : null;
        } catch (SQLException | RuntimeException e) {
            return null; // it does not say
        }
    }

    private Login agroal(Object factory) {
        Object principal = call(factory, "principal");
        String user = principal instanceof Principal named ? named.getName() : null;
        String password = null;
        if (call(factory, "credentials") instanceof Iterable<?> credentials) {
            for (Object credential : credentials) {
                password = text(credential, "getWord");
                if (password == null) {
                    throw unreadable(); // created for each session by another part of the application
                }
            }
        }
        return login(text(factory, "jdbcUrl"), user, password, call(factory, "jdbcProperties"));
    }

    private Login bean(Object source) {
        return login(
                first(source, "getUrl", "getURL", "getJdbcUrl"),
                first(source, "getUsername", "getUserName", "getUser"),
                text(source, "getPassword"),
                Stream.of("getDbProperties", "getConnectionProperties", "getProperties")
                        .map(name -> call(source, name))
                        .filter(Properties.class::isInstance)
                        .findFirst()
                        .orElse(null));
    }

    private Login login(String url, String user, String password, Object properties) {
        if (url == null || url.isBlank()) {
            throw unreadable();
        }
        String plain = OBSERVERS.stream()
                .filter(url::startsWith)
                .findFirst()
                .map(observer -> "jdbc:" + url.substring(observer.length()))
                .orElse(url);
        if (!plain.toLowerCase(Locale.ROOT).startsWith("jdbc:postgresql:")) {
            throw new SettingsException("The outbox is in a database of Postgres, but the URL of the data source of "
                    + given.getClass().getName() + " begins with "
                    + plain.replaceFirst("^(jdbc:[\\w-]*:|).*", "$1") + "." + REMEDY);
        }
        Map<String, String> texts = new HashMap<>();
        if (properties instanceof Properties known) {
            known.forEach((name, value) -> texts.put(String.valueOf(name), String.valueOf(value)));
        }
        return new Login(
                "The URL of the data source of " + given.getClass().getName(),
                plain,
                user == null ? texts.get("user") : user,
                password == null ? texts.get("password") : password,
                texts);
    }

    private SettingsException unreadable() {
        return new SettingsException(
                "The component outbox opens sessions of its own, but cannot read URL, user and password of the data source of "
                        + given.getClass().getName() + "." + REMEDY);
    }

    private static String first(Object target, String... getters) {
        return Stream.of(getters)
                .map(getter -> text(target, getter))
                .filter(value -> value != null)
                .findFirst()
                .orElse(null);
    }

    private static String text(Object target, String getter) {
        Object value = call(target, getter);
        return value == null ? null : value.toString();
    }

    /**
     * The result of a method without parameters; null without a target or such a method. A hidden method counts too: DBCP2 has no public one
     * for the properties of the driver, among which may be that it must use TLS.
     */
    private static Object call(Object target, String name) {
        Method found = target == null ? null : ReflectionUtils.findMethod(target.getClass(), name);
        if (found == null) {
            return null;
        }
        Method method = ClassUtils.getInterfaceMethodIfPossible(found, target.getClass());
        try {
            return method.trySetAccessible() ? method.invoke(target) : null;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return null; // as if there were none: the caller needs another way
        }
    }
}
