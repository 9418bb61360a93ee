package dev.caravan.routes.component;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Iterator;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/** Registers the JDBC drivers of a class loader with {@link DriverManager}, which ignores drivers that its caller cannot load. */
final class JdbcDrivers {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(JdbcDrivers.class);

    private JdbcDrivers() {}

    /** Skips a driver that cannot be loaded; a route that uses it fails with the reason. */
    static void register(ClassLoader loader) {
        Iterator<Driver> drivers = ServiceLoader.load(Driver.class, loader).iterator();
        while (true) {
            try {
                if (!drivers.hasNext()) {
                    return;
                }
                register(drivers.next(), loader);
            } catch (ServiceConfigurationError | LinkageError e) {
                LOG.debug("A JDBC driver in lib cannot be loaded", e);
            }
        }
    }

    private static void register(Driver driver, ClassLoader loader) {
        if (driver.getClass().getClassLoader() != loader) {
            return; // a driver of the relay, which is registered already
        }
        try {
            DriverManager.registerDriver(new DriverFromLib(driver));
        } catch (SQLException e) {
            throw new IllegalStateException(e); // thrown only by a driver that refuses to be registered
        }
    }

    /** A driver with a class of the relay, so that {@link DriverManager} does not ignore it. */
    private record DriverFromLib(Driver driver) implements Driver {
        @Override
        public Connection connect(String url, Properties info) throws SQLException {
            return driver.connect(url, info);
        }

        @Override
        public boolean acceptsURL(String url) throws SQLException {
            return driver.acceptsURL(url);
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
            return driver.getPropertyInfo(url, info);
        }

        @Override
        public int getMajorVersion() {
            return driver.getMajorVersion();
        }

        @Override
        public int getMinorVersion() {
            return driver.getMinorVersion();
        }

        @Override
        public boolean jdbcCompliant() {
            return driver.jdbcCompliant();
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            return driver.getParentLogger();
        }
    }
}
