package dev.caravan.camel.monitoring;

import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.database.Database;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;

/** Starts a context with the component and one route, for a test that loads its classes in another class loader. */
public final class PlainContext implements Callable<AutoCloseable> {
    private final DataSource dataSource;

    public PlainContext(String url, String user, String password) {
        dataSource = Database.unpooled(url, user, password);
    }

    @Override
    public AutoCloseable call() throws Exception {
        var context = new DefaultCamelContext(false);
        context.setApplicationContextClassLoader(
                PlainContext.class.getClassLoader()); // otherwise Camel looks for plugins in that of the JVM
        OutboxComponent component = new OutboxComponent();
        component.setDataSource(dataSource);
        context.addComponent("outbox", component);
        RouteBuilder.addRoutes(context, routes -> routes.from("outbox:orders").to("log:orders?level=OFF"));
        context.start();
        return context;
    }
}
