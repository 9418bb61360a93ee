package dev.caravan.outbox;

import java.util.Map;
import java.util.function.Consumer;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;

/** The second attempt of a message that an {@code idempotentConsumer} may take for a repeat. */
class RepeatedRoutesTest extends UserRoutes {
    RepeatedRoutesTest() {
        asking();
    }

    private void asking() {
        Map.<String, Consumer<org.apache.camel.model.IdempotentConsumerDefinition>>of(
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
}
