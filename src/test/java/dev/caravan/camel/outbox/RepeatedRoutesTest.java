package dev.caravan.camel.outbox;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;

/** The second attempt of a message that an {@code idempotentConsumer} may take for a repeat. */
class RepeatedRoutesTest extends UserRoutes {
    private static final Set<String> IN_EACH_BUILD = Set.of(
            "idempotentConsumer, a part fails",
            "idempotentConsumer, its errors dropped",
            "idempotentConsumer, dead without a failure",
            "rolled back");

    private static final List<String> COPIES = List.of("recipients", "enrich", "queue");

    RepeatedRoutesTest() {
        asking();
        rollingBack();
        parts();
    }

    @Override
    void prepare(CamelContext camel) throws Exception {
        RouteBuilder.addRoutes(camel, routes -> {
            routes.from("direct:roll")
                    .choice()
                    .when(routes.body().contains("roll"))
                    .markRollbackOnly()
                    .end();
            routes.from("direct:asked")
                    .idempotentConsumer(routes.header("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                    .eager(false)
                    .to("direct:roll");
            for (String copies : COPIES) {
                routes.from("direct:ask-" + copies)
                        .idempotentConsumer(
                                routes.header("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                        .eager(false)
                        .filter(routes.header("again").isNull())
                        .throwException(new IOException());
            }
            routes.from("direct:recipients")
                    .errorHandler(routes.noErrorHandler())
                    .recipientList(routes.header("to"));
            routes.from("direct:enrich")
                    .errorHandler(routes.noErrorHandler())
                    .enrich()
                    .header("to")
                    .aggregationStrategy((message, read) -> message);
            routes.from("direct:queue")
                    .errorHandler(routes.noErrorHandler())
                    .to("seda:queue?waitForTaskToComplete=Always");
            routes.from("seda:queue").toD("${header.to}");
            routes.from("direct:ask-number")
                    .idempotentConsumer(
                            routes.header("outbox-id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                    .eager(false)
                    .to("direct:end");
            routes.from("direct:ask-parts")
                    .idempotentConsumer(routes.header("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                    .eager(false)
                    .to("direct:end");
        });
    }

    /** The check at start does not find them. */
    private void parts() {
        route(
                "parts of a split, asked at a computed address",
                to("parts", route -> route.split(tokens()).toD("direct:ask-${header.to}")),
                "a,b: FAILED",
                "a,b: FAILED");
        route(
                "recipients, asked at computed addresses",
                to("direct:ask-parts,direct:ask-parts", route -> route.recipientList(header("to"))),
                "a: FAILED",
                "a: FAILED");
        route(
                "one recipient, asked at a computed address",
                to("direct:ask-parts,direct:end", route -> route.recipientList(header("to"))),
                "a: DELIVERED");
        for (String copies : COPIES) {
            route(
                    copies + ", asked again after the first have failed",
                    to("direct:ask-" + copies, route -> route.doTry()
                            .to("direct:" + copies)
                            .doCatch(Exception.class)
                            .setHeader("again", constant("yes"))
                            .to("direct:" + copies)),
                    "a: DELIVERED");
        }
        route(
                "parts with another value in the header that is asked for",
                to("number", route -> route.split(tokens())
                        .setHeader("outbox-id", body())
                        .toD("direct:ask-${header.to}")),
                "a,b: DELIVERED");
        route(
                "asked twice in turn at a computed address",
                to("parts", route -> route.toD("direct:ask-${header.to}").toD("direct:ask-${header.to}")),
                "a: DELIVERED");
    }

    private static Consumer<RouteDefinition> to(String address, Consumer<RouteDefinition> steps) {
        return route -> {
            route.setHeader("to", constant(address));
            steps.accept(route);
        };
    }

    private void asking() {
        Map.<String, Consumer<IdempotentConsumerDefinition>>of(
                        "idempotentConsumer, a part fails",
                                step -> step.split(tokens())
                                        .process(UserRoutes::arrive)
                                        .end(),
                        "idempotentConsumer, its errors dropped",
                                step -> step.split(tokens(), new GroupedBodyAggregationStrategy())
                                        .process(UserRoutes::arrive)
                                        .end(),
                        "idempotentConsumer, its errors dropped in another route",
                                step -> step.to("direct:split-and-drop"),
                        "idempotentConsumer, dead without a failure",
                                step -> step.choice()
                                        .when(body().regex(".*(fails|poison).*"))
                                        .to("outbox:dead-letter")
                                        .end(),
                        "idempotentConsumer, in enrich",
                                step -> step.split(tokens())
                                        .enrich("direct:once")
                                        .end(),
                        "idempotentConsumer, dead in doCatch",
                                step -> step.doTry()
                                        .split(tokens())
                                        .stopOnException()
                                        .process(UserRoutes::arrive)
                                        .endDoTry()
                                        .doCatch(Exception.class)
                                        .to("outbox:dead-letter")
                                        .end())
                .forEach((name, steps) -> route(
                        IN_EACH_BUILD,
                        name,
                        route -> {
                            var step = route.idempotentConsumer(
                                            header("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                                    .eager(false);
                            steps.accept(step);
                        },
                        "fine,fails: FAILED",
                        "fine,fails: FAILED",
                        "fine,poison: FAILED",
                        "fine,poison: FAILED",
                        "fine,fine: DELIVERED"));
    }

    /** Camel reports an exchange that is marked for rollback as completed, not as failed. */
    private void rollingBack() {
        Map.<String, Consumer<IdempotentConsumerDefinition>>of(
                        "rolled back", step -> step.to("direct:roll"),
                        "rolled back, the last route only",
                                step -> step.choice()
                                        .when(body().contains("roll"))
                                        .markRollbackOnlyLast()
                                        .end(),
                        "rolled back in enrich", step -> step.enrich("direct:roll"),
                        "rolled back in a copy", step -> step.loop(2).copy().to("direct:roll"))
                .forEach((name, steps) -> rolledBack(
                        name,
                        route -> steps.accept(route.idempotentConsumer(
                                        header("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                                .eager(false))));
        rolledBack("asked and rolled back in enrich", route -> route.enrich("direct:asked"));
    }

    private void rolledBack(String name, Consumer<RouteDefinition> steps) {
        route(IN_EACH_BUILD, name, steps, "fine,roll: RETRY", "fine,roll: RETRY", "fine,fine: DELIVERED");
    }
}
