package dev.caravan.test;

import static dev.caravan.routes.destination.Answer.status;
import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.CamelContext;
import org.apache.camel.Processor;
import org.apache.camel.PropertyInject;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.main.MainConfigurationProperties;
import org.apache.camel.spi.Registry;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** One context for all tests of a class, with what Camel's test support lets a test set. */
@TestInstance(Lifecycle.PER_CLASS)
class RouteTestSupportPerClassTest extends RouteTestSupport {
    private CamelContext first;

    @PropertyInject("partner.url")
    private String url;

    @Override
    protected RouteTestBuilder tested() {
        return RouteTest.of(new RouteBuilder() {
                    @Override
                    public void configure() {
                        from("outbox:first?types=placed")
                                .routeId("first")
                                .process("namer")
                                .to("{{partner.url}}");
                    }
                })
                .property("partner.url", "http://partner.example.com/in");
    }

    @Override
    protected void configure(MainConfigurationProperties configuration) {
        configuration.addRoutesBuilder(new RouteBuilder() {
            @Override
            public void configure() {
                from("outbox:second?types=placed").routeId("second").to("kafka:placed");
            }
        });
    }

    @Override
    protected void bindToRegistry(Registry registry) {
        registry.bind("namer", (Processor) exchange -> exchange.getMessage().setBody("a name"));
    }

    @RepeatedTest(2)
    void each_test_begins_without_the_messages_and_answers_of_the_one_before() {
        first = first == null ? context : first;
        assertThat(context).isSameAs(first);
        assertThat(url).isEqualTo("http://partner.example.com/in");
        routes.assertNothingSent();

        TestedMessage placed = routes.send(message("placed").key("order/7")).assertDelivered();

        assertThat(placed.http().text()).isEqualTo("a name");
        assertThat(placed.by("second").kafka().topic()).isEqualTo("placed");
        routes.answer(status(500));
        routes.send(message("placed").key("order/7")).by("first").assertRetried();
    }
}
