package dev.caravan.dist;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.camel.outbox.OutboxComponent;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;

/** An application with one route, which runs until its input ends. Arguments: the address, user and password of the database. */
final class EmbeddedApplication {
    private EmbeddedApplication() {}

    public static void main(String[] args) throws Exception {
        try (var database = new HikariDataSource();
                var context = new DefaultCamelContext()) {
            database.setJdbcUrl(args[0]);
            database.setUsername(args[1]);
            database.setPassword(args[2]);
            OutboxComponent outbox = new OutboxComponent();
            outbox.setDataSource(database);
            context.addComponent("outbox", outbox);
            context.addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("outbox:orders")
                            .log("delivered ${header.type}: ${body}")
                            .to("log:orders");
                }
            });
            context.start();
            System.in.read();
        }
    }
}
