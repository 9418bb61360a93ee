import static dev.caravan.test.TestMessage.read;

import dev.caravan.test.RouteTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RoutesTest {
    @RegisterExtension
    static final RouteTest routes = RouteTest.of("routes/@name@.camel.yaml")@properties@.build();

    @Test
    void a_message_is_delivered() {
        routes.send(read("@sample@").get(0)).assertDelivered();
    }
}
