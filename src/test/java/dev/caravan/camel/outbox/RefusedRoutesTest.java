package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.guard.BatchSteps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePattern;
import org.apache.camel.builder.Builder;
import org.apache.camel.builder.DeadLetterChannelBuilder;
import org.apache.camel.builder.DefaultErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.OnCompletionDefinition;
import org.apache.camel.model.Resilience4jConfigurationDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.errorhandler.RefErrorHandlerDefinition;
import org.apache.camel.model.language.LanguageExpression;
import org.apache.camel.model.language.SimpleExpression;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the check of steps reports routes that could count an undelivered message as delivered. None of them runs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RefusedRoutesTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();
    private final Map<String, Consumer<RouteDefinition>> refused = new TreeMap<>();
    private final Map<String, Consumer<RouteDefinition>> refusedWithPipelined = new TreeMap<>();
    private final Map<String, Consumer<RouteDefinition>> allowed = new TreeMap<>();
    /** The texts in the refusal. */
    private final Map<String, String> named = new HashMap<>();

    RefusedRoutesTest() {
        early();
        inOtherSteps();
        overtaking();
        endless();
        skipping();
        remembering();
        rememberingParts();
        later();
        queues();
        errorHandlers();
        repeating();
        circuitBreakers();
    }

    private void refused(String name, String text, Consumer<RouteDefinition> steps) {
        refused.put(name, steps);
        named.put(name, text);
    }

    private void early() {
        refused("wireTap", "a copy that the route does not wait for", route -> route.wireTap("direct:end"));
        refused("aggregate", "after they count as delivered", route -> route.aggregate(
                        Builder.constant(true), new GroupedBodyAggregationStrategy())
                .completionSize(1)
                .to("direct:end"));
        refused("resequence", "after they count as delivered", route -> route.resequence(Builder.header("id"))
                .to("direct:end"));
        refused("split, timeout", "the timeout", route -> route.split(Builder.body())
                .parallelProcessing()
                .timeout(1)
                .to("direct:end"));
        refused(
                "multicast, timeout",
                "the timeout",
                route -> route.multicast().parallelProcessing().timeout(1).to("direct:end"));
        refused("recipientList, timeout", "the timeout", route -> route.recipientList()
                .constant("direct:end")
                .parallelProcessing()
                .timeout(1)
                .end());
        String text = "queue in memory";
        refused("seda", text, route -> route.to("seda:end"));
        refused("seda, InOnly", text, route -> route.to(ExchangePattern.InOnly, "seda:end"));
        refused("toD seda", text, route -> route.toD("seda:end?size=${header.nothing}"));
        refused(
                "recipientList to seda",
                text,
                route -> route.recipientList(Builder.constant("direct:nothing,seda:end")));
        refused("routingSlip to seda", text, route -> route.routingSlip(Builder.constant("seda:end")));
        refused("enrich from seda", text, route -> route.enrich("seda:end"));
    }

    private void inOtherSteps() {
        String text = "wireTap";
        refused("in another route", text, route -> route.to("direct:tap"));
        refused("in a route behind another route", text, route -> route.to("direct://far?block=false"));
        refused("in a choice", text, route -> route.choice()
                .when(exchange -> true)
                .wireTap("direct:end")
                .end());
        refused("in otherwise", text, route -> route.choice()
                .when(exchange -> false)
                .to("direct:logs")
                .otherwise()
                .wireTap("direct:end")
                .end());
        refused("in doFinally", text, route -> route.doTry()
                .to("direct:logs")
                .doFinally()
                .wireTap("direct:end")
                .end());
        refused("in doCatch", text, route -> route.doTry()
                .to("direct:end")
                .doCatch(Exception.class)
                .wireTap("direct:end")
                .end());
        refused("in onException", text, route -> route.onException(Exception.class)
                .handled(true)
                .wireTap("direct:end")
                .end()
                .to("direct:end"));
        refused(
                "in onCompletion",
                "runs in onCompletion",
                route -> route.onCompletion().to("mock:end").end().to("direct:logs"));
    }

    private void endless() {
        refused("failover in turns, without an end", "without end", route -> route.loadBalance()
                .failover(-1, true, true)
                .to("direct:end", "direct:logs")
                .end());
        refusedWithPipelined.put("failover in turns", route -> route.loadBalance()
                .failover(3, true, true)
                .to("direct:end", "direct:logs")
                .end());
        refusedWithPipelined.put("failover", route -> route.loadBalance()
                .failover(-1, true, false)
                .to("direct:end", "direct:logs")
                .end());
    }

    private void overtaking() {
        refusedWithPipelined.put("threads", route -> route.threads(2).to("direct:end"));
        refusedWithPipelined.put("delay", route -> route.delay(1).to("direct:end"));
        refusedWithPipelined.put(
                "throttle", route -> route.throttle(1000).asyncDelayed().to("direct:end"));
        refusedWithPipelined.put(
                "split",
                route -> route.split(Builder.body()).parallelProcessing().to("direct:end"));
        refusedWithPipelined.put(
                "multicast", route -> route.multicast().parallelProcessing().to("direct:end"));
        refusedWithPipelined.put("recipientList", route -> route.recipientList()
                .constant("direct:end")
                .parallelProcessing()
                .end());
        refusedWithPipelined.put("in another route", route -> route.to("direct:slow"));
        allowed.put("delay", route -> route.delay(1).syncDelayed().to("direct:end"));
        allowed.put("throttle", route -> route.throttle(1000).to("direct:end"));
        allowed.put("split, waiting", route -> route.split(Builder.body())
                .parallelProcessing()
                .synchronous()
                .to("direct:end"));
        allowed.put("split", route -> route.split(Builder.body()).to("direct:end"));
        allowed.put("enrich", route -> route.enrich("direct:end"));
        allowed.put("seda, InOut", route -> route.to(ExchangePattern.InOut, "seda:end"));
    }

    private void skipping() {
        refused("toD", "ignoreInvalidEndpoint", route -> route.toD("${header.to}", true));
        refused("recipientList", "ignoreInvalidEndpoint", route -> route.recipientList(Builder.header("to"))
                .ignoreInvalidEndpoints());
        refused("routingSlip", "ignoreInvalidEndpoint", route -> route.routingSlip(Builder.header("to"))
                .ignoreInvalidEndpoints());
        refused("dynamicRouter", "ignoreInvalidEndpoint", route -> route.dynamicRouter(Builder.header("to"))
                .ignoreInvalidEndpoints());
        refused("enrich", "ignoreInvalidEndpoint", route -> route.enrich()
                .constant("direct:end")
                .ignoreInvalidEndpoint());
        refused(
                "direct without a consumer",
                "failIfNoConsumers",
                route -> route.to("direct:nobody?failIfNoConsumers=false"));
        refused(
                "direct without a consumer, in another notation",
                "failIfNoConsumers",
                route -> route.to("direct:nobody?FailIfNoConsumers=False"));
        refused("loop", "breakOnShutdown", route -> route.loop(2)
                .breakOnShutdown()
                .to("direct:end"));
        refused("sample", "filter", route -> route.sample(1000).to("direct:end"));
        refused("loadBalance, topic", "multicast", route -> route.loadBalance()
                .topic()
                .to("direct:end", "direct:logs"));
        refused("recipientList with a delimiter of its own", "queue in memory", route -> route.recipientList(
                        Builder.constant("direct:end;seda:end"), ";")
                .end()
                .setHeader("x", Builder.constant("seda:end")));
    }

    private void queues() {
        String text = "queue in memory";
        for (String options : List.of(
                "waitForTaskToComplete=Never",
                "exchangePattern=InOut&waitForTaskToComplete=never",
                "exchangePattern=inOut&WaitForTaskToComplete=IfReplyExpected",
                "waitForTaskToComplete=IfReplyExpected&exchangePattern=InOnly",
                "timeout=1&size=9")) {
            refused("seda, " + options, text, route -> route.to("seda:end?" + options));
        }
        refused(
                "seda, InOut by the step, but never",
                text,
                route -> route.to(ExchangePattern.InOut, "seda:end?waitForTaskToComplete=Never"));
        refused(
                "seda, InOut by the step, but InOnly by the address",
                text,
                route -> route.to(ExchangePattern.InOut, "seda:end?exchangePattern=InOnly"));
        refused("vertx", text, route -> route.to("vertx:end"));
        refused("stub", text, route -> route.to(ExchangePattern.InOut, "stub:end?waitForTaskToComplete=Always"));
        refused("seda, tap behind it", "of later", route -> route.to("seda:tap?waitForTaskToComplete=Always"));
        refused("CamelAsyncWait", "CamelAsyncWait", route -> route.setProperty(
                        Exchange.ASYNC_WAIT, Builder.constant("Never"))
                .to("seda:end?waitForTaskToComplete=Always"));
        refused("onCompletion, in another notation", "BeforeConsumer", route -> {
            OnCompletionDefinition completion = route.onCompletion();
            completion.setMode("beforeConsumer");
            completion.log("x");
        });
        refused(
                "kamelet in onCompletion",
                "runs in onCompletion",
                route -> route.onCompletion().kamelet("webhook").end().to("direct:end"));
        for (String options : List.of(
                "waitForTaskToComplete=Always",
                "WaitForTaskToComplete=always",
                "exchangePattern=InOut",
                "wait-for-task-to-complete=Always",
                "exchangePattern=InOut&waitForTaskToComplete=ifReplyExpected")) {
            allowed.put("seda, " + options, route -> route.to("seda:end?" + options));
        }
    }

    private void remembering() {
        var repository = MemoryIdempotentRepository.memoryIdempotentRepository();
        refused("idempotentConsumer", "eager to false", route -> route.idempotentConsumer(
                        Builder.header("id"), repository)
                .to("direct:end"));
        refused("idempotentConsumer, eager", "eager to false", route -> route.idempotentConsumer(
                        Builder.header("id"), repository)
                .eager(true)
                .to("direct:end"));
        refused("idempotentConsumer, removeOnFailure", "removeOnFailure", route -> route.idempotentConsumer(
                        Builder.header("id"), repository)
                .eager(false)
                .removeOnFailure(false)
                .to("direct:end"));
        refused("idempotentConsumer, completionEager", "completionEager", route -> route.idempotentConsumer(
                        Builder.header("id"), repository)
                .eager(false)
                .completionEager(true)
                .to("direct:end"));
        refusedWithPipelined.put(
                "idempotentConsumer", route -> route.idempotentConsumer(Builder.header("id"), repository)
                        .eager(false)
                        .to("direct:end"));
    }

    private void rememberingParts() {
        String text = "treats a part of the message as a repeat";
        var id = Builder.simple("${header.id}");
        var repository = MemoryIdempotentRepository.memoryIdempotentRepository();
        refused("idempotentConsumer in a split", text, route -> route.split(Builder.body())
                .idempotentConsumer(Builder.header("id"), repository)
                .eager(false)
                .to("direct:end"));
        refused("idempotentConsumer in a route behind a split", text, route -> route.split(Builder.body())
                .to("direct:asks"));
        refused("idempotentConsumer in two branches", text, route -> route.multicast()
                .to("direct:asks")
                .idempotentConsumer(id)
                .idempotentRepository("messageIds")
                .eager(false)
                .to("direct:end"));
        refused("idempotentConsumer around a branch with one", text, route -> route.idempotentConsumer(id)
                .idempotentRepository("#bean:messageIds")
                .eager(false)
                .recipientList(Builder.constant("direct:end,direct:asks")));
        refusedWithPipelined.put("idempotentConsumer in one branch", route -> route.multicast()
                .to("direct:asks")
                .idempotentConsumer(id, repository)
                .eager(false)
                .to("direct:end"));
        refusedWithPipelined.put(
                "idempotentConsumers one after the other", route -> route.to("direct:asks", "direct:asks")
                        .idempotentConsumer(id)
                        .idempotentRepository("messageIds")
                        .eager(false)
                        .to("direct:end"));
        refusedWithPipelined.put("idempotentConsumer of parts", route -> route.split(Builder.body())
                .idempotentConsumer(Builder.simple("${header.id}/${exchangeProperty.CamelSplitIndex}"), repository)
                .eager(false)
                .to("direct:end"));
        refusedWithPipelined.put("idempotentConsumer of parts with ids", route -> route.split(Builder.body())
                .setHeader("id", Builder.body())
                .to("direct:asks"));
        refusedWithPipelined.put("idempotentConsumer in another route", route -> route.to("direct:asks"));
    }

    private void later() {
        refused("onCompletion in a choice", "onCompletion", route -> route.onCompletion()
                .choice()
                .when(exchange -> true)
                .to("mock:end")
                .end()
                .end()
                .to("direct:end"));
        refused(
                "onCompletion that goes on in another route",
                "onCompletion",
                route -> route.onCompletion().to("direct:sends").end().to("direct:end"));
        refused(
                "onCompletion before the consumer",
                "BeforeConsumer",
                route ->
                        route.onCompletion().modeBeforeConsumer().log("x").end().to("direct:end"));
        refused("interceptSendToEndpoint and seda after it", "queue in memory", route -> {
            var intercept = new org.apache.camel.model.InterceptSendToEndpointDefinition("direct:end");
            intercept.setAfterUri("seda:end");
            intercept.log("x");
            route.addOutput(intercept);
            route.to("direct:end");
        });
        refused(
                "saga with a completion",
                "saga",
                route -> route.saga().completion("direct:end").to("direct:end").end());
        refused("saga with a compensation", "saga", route -> route.saga()
                .compensation("direct:end")
                .to("direct:end")
                .end());
        allowed.put("saga", route -> route.saga().to("direct:end").end());
        allowed.put("onCompletion that logs", route -> route.onCompletion()
                .choice()
                .when(exchange -> true)
                .log("x")
                .end()
                .to("direct:logs")
                .end()
                .to("direct:end"));
    }

    private void errorHandlers() {
        refused("deadLetterChannel by its name", "deadLetterHandleNewException", route -> route.errorHandler(
                        new RefErrorHandlerDefinition("myChannel"))
                .to("direct:end"));
        refused("deadLetterChannel to seda", "queue in memory", route -> route.errorHandler(channel("seda:end"))
                .to("direct:end"));
        refused("deadLetterChannel to a route with wireTap", "wireTap", route -> route.errorHandler(
                        channel("direct:tap"))
                .to("direct:end"));
        allowed.put("deadLetterChannel to dead-letter", route -> route.errorHandler(channel("outbox:dead-letter"))
                .to("direct:end"));
        allowed.put(
                "an error handler by its name", route -> route.errorHandler(new RefErrorHandlerDefinition("myHandler"))
                        .to("direct:end"));
    }

    private void repeating() {
        refusedWithPipelined.put("onException", route -> route.onException(Exception.class)
                .maximumRedeliveries(2)
                .end()
                .to("direct:end"));
        refusedWithPipelined.put("onException without end", route -> route.onException(Exception.class)
                .maximumRedeliveries(-1)
                .end()
                .to("direct:end"));
        refusedWithPipelined.put("onException by its reference", route -> route.onException(Exception.class)
                .redeliveryPolicyRef("myPolicy")
                .end()
                .to("direct:end"));
        refusedWithPipelined.put("retryWhile", route -> route.onException(Exception.class)
                .retryWhile(exchange -> true)
                .end()
                .to("direct:end"));
        refusedWithPipelined.put("defaultErrorHandler", route -> route.errorHandler(
                        new DefaultErrorHandlerBuilder().maximumRedeliveries(1))
                .to("direct:end"));
        refusedWithPipelined.put(
                "failover", route -> route.loadBalance().failover().to("direct:end", "direct:logs"));
        refusedWithPipelined.put("onException in another route", route -> route.to("direct:repeats"));
        allowed.put(
                "no redeliveries", route -> route.errorHandler(new DefaultErrorHandlerBuilder().maximumRedeliveries(0))
                        .onException(Exception.class)
                        .maximumRedeliveries(0)
                        .end()
                        .to("direct:end"));
    }

    private void circuitBreakers() {
        refused("circuitBreaker", "circuit is open", route -> route.circuitBreaker()
                .to("direct:end")
                .end());
        refused("circuitBreaker of Fault Tolerance", "circuit is open", route -> route.circuitBreaker()
                .faultToleranceConfiguration()
                .delay(1)
                .end()
                .to("direct:end")
                .end());
        refused("circuitBreaker in another route", "circuit is open", route -> route.to("direct:breaks"));
        refused("circuitBreaker, ignoreExceptions", "ignoreExceptions", route -> route.circuitBreaker()
                .resilience4jConfiguration()
                .throwExceptionWhenHalfOpenOrOpenState(true)
                .ignoreException(IllegalStateException.class)
                .end()
                .to("direct:end")
                .end());
        refused("circuitBreaker, recordExceptions", "recordExceptions", route -> route.circuitBreaker()
                .resilience4jConfiguration()
                .recordException(IllegalStateException.class)
                .end()
                .to("direct:end")
                .onFallback()
                .to("direct:logs")
                .end());
        refused("circuitBreaker, ignoreExceptions by name", "ignoreExceptions", route -> route.circuitBreaker()
                .configuration("myIgnoring")
                .to("direct:end")
                .onFallback()
                .to("direct:logs")
                .end());
        refused("circuitBreaker, timeoutEnabled", "timeoutEnabled", route -> route.circuitBreaker()
                .resilience4jConfiguration()
                .throwExceptionWhenHalfOpenOrOpenState(true)
                .timeoutEnabled(true)
                .end()
                .to("direct:end")
                .end());
        refused("circuitBreaker of Fault Tolerance, timeoutEnabled", "timeoutEnabled", route -> route.circuitBreaker()
                .faultToleranceConfiguration()
                .timeoutEnabled(true)
                .end()
                .to("direct:end")
                .onFallback()
                .to("direct:logs")
                .end());
        allowed.put("circuitBreaker with a fallback", route -> route.circuitBreaker()
                .to("direct:end")
                .onFallback()
                .to("direct:logs")
                .end());
        allowed.put("circuitBreaker that throws while open", route -> route.circuitBreaker()
                .resilience4jConfiguration()
                .throwExceptionWhenHalfOpenOrOpenState(true)
                .end()
                .to("direct:end")
                .end());
        allowed.put("circuitBreaker that throws while open, by name", route -> route.circuitBreaker()
                .configuration("myBreaker")
                .to("direct:end")
                .end());
    }

    private static DeadLetterChannelBuilder channel(String uri) {
        var channel = new DeadLetterChannelBuilder(uri);
        channel.deadLetterHandleNewException(false);
        return channel;
    }

    @BeforeAll
    void build() throws Exception {
        camel.getRegistry().bind("outbox", new OutboxComponent());
        camel.getRegistry().bind("myChannel", new DeadLetterChannelBuilder("direct:end"));
        camel.getRegistry().bind("myHandler", new DefaultErrorHandlerBuilder());
        var throwing = new Resilience4jConfigurationDefinition();
        throwing.setThrowExceptionWhenHalfOpenOrOpenState("true");
        camel.getRegistry().bind("myBreaker", throwing);
        var ignoring = new Resilience4jConfigurationDefinition();
        ignoring.ignoreException(IllegalStateException.class);
        camel.getRegistry().bind("myIgnoring", ignoring);
        RouteBuilder.addRoutes(camel, routes -> {
            routes.from("direct:end").log("x");
            routes.from("direct:literal").to("kafka:orders?key=${header.id}");
            routes.from("direct:logs").log("x").to("log:x");
            routes.from("direct:sends")
                    .choice()
                    .when(exchange -> true)
                    .to("mock:end")
                    .end();
            routes.from("direct:breaks").circuitBreaker().to("direct:end").end();
            routes.from("direct:tap").wireTap("direct:end");
            routes.from("direct:far").filter(exchange -> true).to("direct:tap").end();
            routes.from("direct:slow").delay(1).to("direct:end");
            routes.from("seda:tap?concurrentConsumers=2").routeId("later").wireTap("direct:end");
            routes.from("direct:asks")
                    .idempotentConsumer(Builder.simple("${header.id}"))
                    .idempotentRepository("messageIds")
                    .eager(false)
                    .to("direct:end");
            routes.from("direct:repeats")
                    .onException(Exception.class)
                    .maximumRedeliveries(1)
                    .end()
                    .to("direct:end");
        });
    }

    @AfterAll
    void close() throws Exception {
        camel.close();
    }

    Stream<Arguments> refused() {
        return refused.keySet().stream().map(Arguments::of);
    }

    Stream<Arguments> refusedWithPipelined() {
        return refusedWithPipelined.keySet().stream().map(Arguments::of);
    }

    Stream<Arguments> allowed() {
        return allowed.keySet().stream().map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("refused")
    void a_route_that_can_lose_a_message_is_refused(String name) throws Exception {
        assertThat(problems("outbox:orders", refused.get(name)))
                .isNotEmpty()
                .allSatisfy(problem ->
                        assertThat(problem).contains("route tested: ").contains("earlyAcknowledge=true"))
                .anySatisfy(problem -> assertThat(problem).contains(named.get(name)));
        assertThat(problems("outbox:orders?earlyAcknowledge=true", refused.get(name)))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("refusedWithPipelined")
    void a_route_that_can_break_the_order_is_refused_with_pipelined_only(String name) throws Exception {
        assertThat(problems("outbox:orders?pipelined=true", refusedWithPipelined.get(name)))
                .isNotEmpty()
                .allSatisfy(problem -> assertThat(problem)
                        .containsAnyOf(
                                "with pipelined a later message of a key can arrive first",
                                "with pipelined a later message of its key arrives",
                                "so with pipelined the order is not restored"));
        assertThat(problems("outbox:orders", refusedWithPipelined.get(name))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("allowed")
    void a_route_that_waits_for_the_delivery_is_allowed(String name) throws Exception {
        assertThat(problems("outbox:orders?pipelined=true", allowed.get(name))).isEmpty();
    }

    /** Camel locks the name of the file that it writes, and not the temporary one. */
    @ParameterizedTest
    @CsvSource({
        "outbox:orders,                                    upload.tmp,           true",
        "outbox:orders?concurrency=1&lanes=2,              upload.tmp,           true",
        "outbox:orders?concurrency=1,                      upload.tmp,           false",
        "outbox:orders?order=strict,                       upload.tmp,           false",
        "outbox:orders,                                    ${header.id}.tmp,     false",
        "outbox:orders,                                    RAW(${file:name}.tmp), false"
    })
    void files_that_are_written_at_the_same_time_have_no_temporary_file_in_common(
            String from, String name, boolean refused) throws Exception {
        List<String> problems =
                problems(from, route -> route.to("file:target/never?fileName=${header.id}.json&tempFileName=" + name));

        assertThat(problems).hasSize(refused ? 1 : 0).allSatisfy(problem -> assertThat(problem)
                .startsWith("route tested: step ")
                .contains("Use tempPrefix, or concurrency=1"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "outbox:next?type=order.next&aggregateId=${header.customer}      | the option aggregateId of outbox:",
                "outbox:next?type=${header.next}                                 | the option type of outbox:",
                "sms:shop?to=${a}&text=${b}&from=RAW(${shop.phone})              | the option from of sms:",
                "email:shop?to=${a}&subject=${b}&html=${c}&from=${shop.mail}     | the option from of email:",
                "email:shop?to=${a}&text=${b}&messageIdDomain=${shop.domain}     | the option messageIdDomain of email:",
                "standard-webhook:a?url=https://a.b&contentType=${header.type}   | the option contentType of standard-webhook:",
                "smtp:mail.example?to=${header.mail}@x.example&username=${a}     | the option to of smtp:",
                "http://shop.example/c/${header.customer}                        | its address of http:",
                "https://shop.example?httpMethod=PUT&id=$simple{header.customer} | the option id of https:",
                "kafka:orders?key=${header.aggregate-id}                         | the option key of kafka:",
                "kafka:orders-${header.type}                                     | its address of kafka:",
                "ftp:server/${header.customer}?fileName=${header.id}             | its address of ftp:",
                "direct:literal                                                  | the option key of kafka:",
            })
    void a_function_where_nothing_computes_it_is_refused(String uri, String place) throws Exception {
        assertThat(mistakes(uri))
                .singleElement()
                .asString()
                .startsWith("step to has ${…} in " + place + ", which does not compute it");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:out?fileName=${header.id}&tempFileName=${header.id}.tmp&fileExist=Move&moveExisting=${file:name}.old",
                "ftp:server/in?fileName=${header.id}.json&doneFileName=${file:name}.done",
                "ftp://shop:a${b}c@server/in?fileName=${header.id}",
                "sms:shop?to=${customer.phone}&text=${text}",
                "email:shop?to=${a}&subject=${b}&html=${c}&text=${d}",
                "sql:insert into a values (:#${body}, :#${header.id})",
                "bean:orders?method=place(${header.id}, ${body})",
                "language:simple:${body}",
                "xslt:orders.xsl?a=${header.id}",
                "http://shop.example?authMethod=Basic&authUsername=a&authPassword=RAW(a${b}c)",
                "http://shop.example/$%7Bid%7D/{id}?q=$",
                "smtp:mail.example?password=RAW(${x})&to=a@x.example",
            })
    void a_function_that_something_computes_is_allowed(String uri) throws Exception {
        assertThat(mistakes(uri)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "recipientList, json-template, '{\"a\": ${b}}'",
        "routingSlip,   html-template, http://a/${b}",
        "toD,           slack-template, '{\"a\": ${b}}'",
        "enrich,        text-template, file:address.txt",
        "cc,            html-template, ${a} <${b}>",
    })
    void a_template_whose_values_cannot_be_checked_computes_no_address(String kind, String language, String text)
            throws Exception {
        var template = new LanguageExpression(language, text);

        assertThat(mistakesOf(route -> {
                    switch (kind) {
                        case "recipientList" -> route.recipientList(template);
                        case "routingSlip" -> route.routingSlip(template);
                        case "toD" -> route.toD("language:" + language + ":" + text);
                        case "enrich" -> {
                            var enrich = new EnrichDefinition();
                            enrich.setExpression(template);
                            route.addOutput(enrich);
                        }
                        default -> route.setHeader("Cc", template);
                    }
                }))
                .singleElement()
                .asString()
                .contains("computes an address", "text-template with its text in the route");
    }

    /** Of the first it is not known what is a value. In the second Camel's text would have another parameter, and a value has none. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "$init{ $t := ${header.a} }init$sql:insert into a values ('${header.v}') | with $init{",
                "http://a?x=${header.v}${header.b == 'q' ? '&y=1' : ''} | has a & or ? in a function",
            })
    void a_text_of_simple_whose_parts_cannot_be_told_computes_no_address(String text, String mistake) throws Exception {
        assertThat(mistakesOf(route -> route.toD(text)))
                .singleElement()
                .asString()
                .contains(mistake);
        assertThat(mistakesOf(route -> route.setHeader("CamelHttpQuery", new SimpleExpression(text))))
                .isNotEmpty();
        assertThat(mistakesOf(route -> route.setHeader("X-Any", new SimpleExpression(text))
                        .toD("http://a?x=${header.v}${header.b == 'q' ? '-eu' : ''}&y=1")))
                .isEmpty();
    }

    @Test
    void a_template_in_the_route_computes_an_address_and_any_template_a_text() throws Exception {
        assertThat(mistakesOf(route -> route.setHeader("X-Any", new LanguageExpression("html-template", "${a}"))
                        .setBody(new LanguageExpression("json-template", "{}"))
                        .recipientList(new LanguageExpression("text-template", "http://a/${b}"))))
                .isEmpty();
    }

    private List<String> mistakes(String uri) throws Exception {
        return mistakesOf(route -> route.filter(exchange -> true).to(uri));
    }

    private List<String> mistakesOf(Consumer<RouteDefinition> steps) throws Exception {
        RouteBuilder.addRoutes(
                camel, routes -> steps.accept(routes.from("outbox:orders").routeId("tested")));
        RouteDefinition route = camel.getRouteDefinition("tested");
        List<BatchSteps.Found> mistakes =
                camel.getEndpoint("outbox:orders", OutboxEndpoint.class).mistakes(route);
        camel.removeRouteDefinition(route);
        return mistakes.stream().map(BatchSteps.Found::text).toList();
    }

    @Test
    void nobody_may_poll_an_outbox() throws Exception {
        var endpoint = camel.getEndpoint("outbox:orders");

        assertThatThrownBy(endpoint::createPollingConsumer).hasMessageContaining("write a route from it");
    }

    private List<String> problems(String from, Consumer<RouteDefinition> steps) throws Exception {
        RouteBuilder.addRoutes(camel, routes -> steps.accept(routes.from(from).routeId("tested")));
        RouteDefinition route = camel.getRouteDefinition("tested");
        List<String> problems = camel.getEndpoint(from, OutboxEndpoint.class).problems(route);
        camel.removeRouteDefinition(route);
        return problems;
    }
}
