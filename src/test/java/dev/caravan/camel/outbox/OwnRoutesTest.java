package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Outcome;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.builder.DefaultErrorHandlerBuilder;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.builder.RouteConfigurationBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.impl.engine.PooledProcessorExchangeFactory;
import org.apache.camel.main.Main;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes from {@code outbox:} in the Camel context of an application: in each order they have what they have in a relay. */
class OwnRoutesTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();

    @AfterEach
    void close() throws Exception {
        camel.close();
    }

    private static OutboxComponent component() {
        OutboxComponent component = new OutboxComponent();
        component.setOnDemand(statement -> {});
        return component;
    }

    private static LambdaRouteBuilder own(String to) {
        return route -> route.from("outbox:orders").routeId("own").to(to);
    }

    /** A route that drops the failures of its parts, with Camel's own error handling. */
    private static LambdaRouteBuilder splits() {
        return route -> route.from("direct:splits")
                .routeId("splits")
                .split(route.body().tokenize(","), new GroupedBodyAggregationStrategy())
                .process(OwnRoutesTest::fail)
                .end()
                .setBody(route.constant("dropped"));
    }

    private static LambdaRouteBuilder fails() {
        return route -> route.from("direct:fails").routeId("fails").process(OwnRoutesTest::fail);
    }

    private static void fail(Exchange exchange) throws Exception {
        switch (exchange.getMessage().getBody(String.class)) {
            case "refused" -> throw new ConnectException("told to be unavailable");
            case "poison" -> throw new SerializationException("told to be poison");
            case "fails" -> throw new IllegalStateException("told to fail");
            default -> {}
        }
    }

    private static Outcome deliver(CamelContext camel, String body) throws Exception {
        var message = new Message(
                1, UUID.randomUUID(), new Key("order", "1"), "order.created", null, body, Instant.ofEpochSecond(1));
        var consumer = (OnDemandConsumer) camel.getRoute("own").getConsumer();
        return consumer.attempt(List.of(Delivery.fresh(message)))
                .get(10, TimeUnit.SECONDS)
                .results()
                .get(0)
                .outcome();
    }

    private void add(LambdaRouteBuilder... routes) throws Exception {
        for (LambdaRouteBuilder each : routes) {
            RouteBuilder.addRoutes(camel, each);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_part_that_fails_in_a_route_that_was_added_before_fails_the_message(boolean pooled) throws Exception {
        camel.getRegistry().bind("outbox", component());
        if (pooled) {
            camel.getCamelContextExtension().setProcessorExchangeFactory(new PooledProcessorExchangeFactory());
        }
        add(splits(), own("direct:splits"));
        camel.start();

        assertThat(deliver(camel, "good,fails")).isEqualTo(Outcome.RETRY);
        assertThat(deliver(camel, "good,good")).isEqualTo(Outcome.DELIVERED);
    }

    @Test
    void routes_that_are_added_to_a_running_application_in_one_builder_are_guarded() throws Exception {
        camel.start();
        camel.getRegistry().bind("outbox", component());
        camel.getPropertiesComponent().addInitialProperty("source", "outbox:orders");
        add(route -> {
            route.from("direct:splits")
                    .split(route.body().tokenize(","), new GroupedBodyAggregationStrategy())
                    .process(OwnRoutesTest::fail)
                    .end();
            route.from("{{source}}").routeId("own").to("direct:splits");
        });

        assertThat(deliver(camel, "good,fails")).isEqualTo(Outcome.RETRY);
    }

    @Test
    void a_route_from_outbox_does_not_start_beside_one_that_was_built_without_guards() throws Exception {
        add(splits());
        camel.start();
        camel.getRegistry().bind("outbox", component());

        assertThatThrownBy(() -> add(own("log:end")))
                .hasStackTraceContaining("Camel built the routes splits before the component outbox existed")
                .hasStackTraceContaining("Bind an OutboxComponent to the name outbox before the context starts");
    }

    /** As in a container whose class loader of Camel does not see the libraries of the application. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void where_camel_does_not_find_the_plugin_a_route_is_guarded_or_refused(boolean gets) throws Exception {
        try (var hidden = new DefaultCamelContext(false)) {
            hidden.setApplicationContextClassLoader(new ClassLoader(null) {
                @Override
                protected Class<?> findClass(String name) throws ClassNotFoundException {
                    return OwnRoutesTest.class.getClassLoader().loadClass(name);
                }
            });
            hidden.build();
            hidden.getRegistry().bind("outbox", component());
            RouteBuilder.addRoutes(hidden, splits());
            RouteBuilder.addRoutes(hidden, own("direct:splits"));
            if (gets) {
                hidden.getComponent("outbox");
                hidden.start();
                assertThat(deliver(hidden, "good,fails")).isEqualTo(Outcome.RETRY);
            } else {
                assertThatThrownBy(hidden::start)
                        .hasStackTraceContaining("Camel built the routes splits before the component outbox existed")
                        .hasStackTraceContaining("call context.getComponent(\"outbox\") before the context starts");
            }
        }
    }

    @Test
    void a_component_that_is_bound_before_the_start_guards_routes_for_subscriptions_that_are_added_later()
            throws Exception {
        camel.getRegistry().bind("outbox", component());
        add(splits());
        camel.start();
        add(own("direct:splits"));

        assertThat(deliver(camel, "fails")).isEqualTo(Outcome.RETRY);
        camel.getRouteController().stopRoute("own");
        camel.removeRoute("own");
        add(own("direct:splits"));
        assertThat(deliver(camel, "fails")).isEqualTo(Outcome.RETRY);
    }

    @Test
    void nothing_happens_in_an_application_without_a_route_from_outbox() throws Exception {
        add(splits());
        camel.start();

        assertThat(camel.hasComponent("outbox")).isNull();
        assertThat(camel.getCamelContextExtension().getInterceptStrategies()).isEmpty();
        assertThat(camel.getCamelContextExtension()
                        .getProcessorExchangeFactory()
                        .getClass()
                        .getName())
                .startsWith("org.apache.camel.");
    }

    @Test
    void an_exchange_factory_that_replaces_the_guards_is_refused() throws Exception {
        camel.getRegistry().bind("outbox", component());
        camel.start();
        camel.getCamelContextExtension().setProcessorExchangeFactory(new PooledProcessorExchangeFactory());

        assertThatThrownBy(() -> add(own("log:end"))).hasStackTraceContaining("replaced the exchange factory of Camel");
    }

    @ParameterizedTest
    @CsvSource({"refused, UNAVAILABLE", "poison, DEAD", "fails, RETRY", "good, DELIVERED"})
    void a_failure_is_classified_in_the_route_itself_and_in_routes_that_it_calls(String body, Outcome outcome)
            throws Exception {
        camel.getRegistry().bind("outbox", component());
        add(fails(), splits(), route -> route.from("outbox:orders")
                .routeId("own")
                .process(OwnRoutesTest::fail));
        camel.start();

        assertThat(deliver(camel, body)).isEqualTo(outcome);
        for (String called : List.of("direct:fails", "direct:splits")) {
            camel.getRouteController().stopRoute("own");
            camel.removeRoute("own");
            add(own(called));
            assertThat(deliver(camel, body)).as(called).isEqualTo(outcome);
        }
    }

    @ParameterizedTest
    @CsvSource({"{}, RETRY", "'{\"rate\": 7}', DELIVERED"})
    void an_error_about_an_answer_is_no_error_of_the_message(String answer, Outcome outcome) throws Exception {
        RawHttp service = RawHttp.answering(
                RawHttp.OK + "Content-Length: " + answer.length() + "\r\nConnection: close\r\n\r\n" + answer);
        camel.getRegistry().bind("outbox", component());
        add(
                route -> route.from("outbox:orders")
                        .routeId("own")
                        .to(service.url())
                        .setBody()
                        .jsonpath("$.rate"),
                route -> route.from("direct:asks").to(service.url()).setBody().jsonpath("$.rate"));
        camel.start();

        assertThat(deliver(camel, "{}")).isEqualTo(outcome);
        camel.getRouteController().stopRoute("own");
        camel.removeRoute("own");
        add(own("direct:asks"));
        assertThat(deliver(camel, "{}")).isEqualTo(outcome);
    }

    /** Behind {@code direct:} the kind of a clause follows from its steps. */
    @Test
    void the_steps_of_each_clause_of_the_built_in_file_say_its_kind() throws Exception {
        String file = Files.readString(Path.of("src/main/resources/built-in/error-handling.camel.yaml"));

        assertThat(Pattern.compile("(?m)^ {12}- (\\w+):\\n(?:.*id:.*\\n)? +(\\w+: \\S+)")
                        .matcher(file)
                        .results()
                        .map(step -> step.group(1) + " " + step.group(2)))
                .hasSizeGreaterThan(10)
                .containsOnly(
                        "to uri: outbox:dead-letter",
                        "setProperty name: CamelOutboxFailure",
                        "removeProperty name: CamelOutboxFailure");
    }

    @Test
    void clauses_of_the_application_come_first() throws Exception {
        camel.getRegistry().bind("outbox", component());
        add(fails(), route -> {
            route.onException(ConnectException.class).log("mine");
            route.from("direct:mine").process(OwnRoutesTest::fail);
            route.from("outbox:orders")
                    .routeId("own")
                    .choice()
                    .when(route.body().isEqualTo("poison"))
                    .to("direct:fails")
                    .otherwise()
                    .to("direct:mine");
        });
        camel.start();

        assertThat(deliver(camel, "refused")).isEqualTo(Outcome.RETRY);
        assertThat(deliver(camel, "poison")).isEqualTo(Outcome.DEAD);
    }

    @Test
    void a_route_with_its_own_route_configuration_and_error_handler_is_classified_too() throws Exception {
        camel.getRegistry().bind("outbox", component());
        camel.addRoutes(new RouteConfigurationBuilder() {
            @Override
            public void configuration() {
                routeConfiguration("mine")
                        .onException(ArithmeticException.class)
                        .handled(true);
                routeConfiguration().errorHandler(deadLetterChannel("log:dead"));
            }
        });
        add(fails(), route -> route.from("outbox:orders")
                .routeId("own")
                .routeConfigurationId("mine")
                .errorHandler(new DefaultErrorHandlerBuilder())
                .process(OwnRoutesTest::fail));
        camel.start();

        assertThat(deliver(camel, "refused")).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(deliver(camel, "poison")).isEqualTo(Outcome.DEAD);
    }

    @Test
    void the_error_handler_of_a_configuration_of_all_routes_does_not_apply_to_a_route_from_outbox() throws Exception {
        camel.getRegistry().bind("outbox", component());
        camel.addRoutes(new RouteConfigurationBuilder() {
            @Override
            public void configuration() {
                routeConfiguration().errorHandler(deadLetterChannel("log:dead"));
            }
        });
        add(route -> route.from("outbox:orders").routeId("own").process(OwnRoutesTest::fail));
        camel.start();

        assertThat(deliver(camel, "fails")).isEqualTo(Outcome.RETRY);
    }

    @Test
    void a_dead_letter_channel_of_the_builder_is_refused() {
        camel.getRegistry().bind("outbox", component());

        assertThatThrownBy(() -> {
                    add(route -> {
                        route.errorHandler(route.deadLetterChannel("log:dead"));
                        route.from("outbox:orders").routeId("own").to("log:end");
                    });
                    camel.start();
                })
                .hasStackTraceContaining("loses a message that its endpoint refuses");
    }

    @Test
    void without_the_option_nothing_is_classified() throws Exception {
        OutboxComponent component = component();
        component.setErrorHandling(false);
        camel.getRegistry().bind("outbox", component);
        add(fails(), own("direct:fails"));
        camel.start();

        assertThat(deliver(camel, "refused")).isEqualTo(Outcome.RETRY);
    }

    @Test
    void a_component_under_another_name_guards_and_classifies_too() throws Exception {
        camel.getRegistry().bind("outbox", component());
        camel.getRegistry().bind("outbox2", component());
        add(
                splits(),
                fails(),
                route -> route.from("outbox:orders").routeId("other").to("direct:splits"),
                route -> route.from("outbox2:orders")
                        .routeId("own")
                        .choice()
                        .when(route.body().contains(","))
                        .to("direct:splits")
                        .otherwise()
                        .process(OwnRoutesTest::fail));
        camel.start();

        assertThat(deliver(camel, "refused")).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(deliver(camel, "poison")).isEqualTo(Outcome.DEAD);
        assertThat(deliver(camel, "good,fails")).isEqualTo(Outcome.RETRY);
        assertThat(deliver(camel, "good")).isEqualTo(Outcome.DELIVERED);
    }

    @Test
    void routes_that_start_later_and_again_are_guarded() throws Exception {
        camel.getRegistry().bind("outbox", component());
        add(splits(), route -> route.from("direct:end").to("log:end"), route -> route.from("outbox:orders")
                .routeId("own")
                .autoStartup(false)
                .routingSlip(route.body(), ";"));
        camel.start();
        camel.getRouteController().startRoute("own");
        guarded();
        camel.suspend();
        camel.resume();
        guarded();
        camel.getRouteController().stopRoute("own");
        camel.getRouteController().startRoute("own");
        guarded();
    }

    private void guarded() throws Exception {
        String missing = "direct:missing?failIfNoConsumers=false&block=false";
        assertThat(deliver(camel, missing + ";direct:end")).isEqualTo(Outcome.RETRY);
        assertThat(deliver(camel, "direct:end;direct:end")).isEqualTo(Outcome.DELIVERED);
        assertThat(camel.getManagementStrategy().getEventNotifiers()).hasSize(1);
    }

    @Test
    void a_message_that_is_put_into_a_queue_at_a_computed_address_fails() throws Exception {
        camel.getRegistry().bind("outbox", component());
        add(route -> {
            route.from("seda:queue").to("log:queue");
            route.from("direct:end").to("log:end");
            route.from("outbox:orders").routeId("own").routingSlip(route.body(), ";");
        });
        camel.start();

        assertThat(deliver(camel, "direct:end")).isEqualTo(Outcome.DELIVERED);
        assertThat(deliver(camel, "seda:queue")).isEqualTo(Outcome.RETRY);
        assertThat(deliver(camel, "seda:queue;direct:end")).isEqualTo(Outcome.RETRY);
    }

    @Test
    void camel_main_with_pooled_exchanges_guards_and_classifies_routes_of_a_file(@TempDir Path folder)
            throws Exception {
        Path file = folder.resolve("routes.camel.yaml");
        Files.writeString(file, """
                - route:
                    id: fails
                    from:
                      uri: direct:fails
                      steps:
                        - process:
                            ref: "#failing"
                - route:
                    id: own
                    from:
                      uri: outbox:orders
                      steps:
                        - multicast:
                            steps:
                              - to: {uri: direct:fails}
                              - to: {uri: log:end}
                """);
        Main main = new Main();
        main.addInitialProperty("camel.main.exchangeFactory", "pooled");
        main.addInitialProperty("camel.main.routesIncludePattern", "file:" + file);
        main.bind("outbox", component());
        main.bind("failing", (Processor) OwnRoutesTest::fail);
        try {
            main.start();
            List<Outcome> outcomes = Stream.of("refused", "poison", "fails", "good")
                    .map(body -> {
                        try {
                            return deliver(main.getCamelContext(), body);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .toList();
            assertThat(outcomes).containsExactly(Outcome.UNAVAILABLE, Outcome.DEAD, Outcome.RETRY, Outcome.DELIVERED);
        } finally {
            main.stop();
        }
    }
}
