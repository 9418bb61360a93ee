package dev.caravan.routes.component;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers the JDBC drivers of a class loader with {@link DriverManager}, which ignores drivers that its caller cannot load. */
final class JdbcDrivers {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcDrivers.class);

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
            DriverManager.registerDriver(ofRelay(driver));
        } catch (SQLException e) {
            throw new IllegalStateException(e); // thrown only by a driver that refuses to be registered
        }
    }

    /** The driver behind a class of the relay, so that {@link DriverManager} does not ignore it. */
    private static Driver ofRelay(Driver driver) {
        return (Driver) Proxy.newProxyInstance(
                JdbcDrivers.class.getClassLoader(), new Class<?>[] {Driver.class}, (proxy, method, values) -> {
                    try {
                        return method.invoke(driver, values);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }
}
