package dev.caravan.dist;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.text.Causes;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.camel.template.Format;
import dev.caravan.camel.template.Template;
import java.util.List;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;

/** An application with two routes, which runs until its input ends. Arguments: the address, user and password of the database. */
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
                    from("outbox:failing").process(exchange -> {
                        throw new IllegalStateException("not now");
                    });
                }
            });
            context.start();
            for (String uri : List.of("sms:1", "email:a@example.com", "standard-webhook:https://example.com")) {
                printFailure(() -> context.getEndpoint(uri));
            }
            printFailure(() -> Template.parse("{{name}}", Format.TEXT, "text.mustache"));
            System.in.read();
        }
    }

    /** What needs a library that this application does not have. */
    private static void printFailure(Runnable use) {
        try {
            use.run();
        } catch (RuntimeException e) {
            System.out.println(Causes.root(e).getMessage());
        }
    }
}
