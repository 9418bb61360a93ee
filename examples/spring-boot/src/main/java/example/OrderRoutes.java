package example;

import org.apache.camel.builder.RouteBuilder;
import org.springframework.stereotype.Component;

@Component
class OrderRoutes extends RouteBuilder {
    @Override
    public void configure() {
        from("outbox:orders?types=order.*&pipelined=true").to("kafka:orders");
    }
}
