package example;

import org.apache.camel.builder.RouteBuilder;

public class OrderRoutes extends RouteBuilder {
    @Override
    public void configure() {
        from("outbox:orders?types=order.*&pipelined=true").to("kafka:orders");
    }
}
