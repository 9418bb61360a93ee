package example;

import jakarta.enterprise.context.ApplicationScoped;
import org.apache.camel.builder.RouteBuilder;

@ApplicationScoped
public class OrderRoutes extends RouteBuilder {
    @Override
    public void configure() {
        from("outbox:orders?types=order.*&pipelined=true").to("kafka:orders");
    }
}
