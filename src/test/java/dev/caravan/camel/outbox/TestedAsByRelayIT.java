package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.test.TestMessage.message;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.test.RouteTest;
import dev.caravan.test.TestMessage;
import dev.caravan.test.TestedMessage;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.Test;

/** The kit for tests of routes makes the same attempts in the same order as a relay with a database. */
class TestedAsByRelayIT {
    /**
     * @param keys of the messages, which are numbered from 1
     * @param answers to a message by its number, in turn; the last one is repeated
     */
    private record Scenario(String name, String options, List<String> keys, Map<Integer, List<String>> answers) {
        String uri() {
            return "outbox:" + name + "?types=" + name + "&concurrency=1&backoff=20ms&maxBackoff=20ms" + options;
        }
    }

    private static final List<Scenario> SCENARIOS = List.of(
            new Scenario("retried", "", List.of("a", "a", "b"), Map.of(1, List.of("fail", "fail", "ok"))),
            new Scenario("exhausted", "&maxAttempts=2", List.of("a", "a", "b"), Map.of(1, List.of("fail"))),
            new Scenario("blocked", "&onDead=block", List.of("a", "a", "b"), Map.of(1, List.of("dead"))),
            new Scenario("strict", "&order=strict", List.of("a", "b", "a"), Map.of(2, List.of("fail", "ok"))),
            new Scenario("unordered", "&order=none", List.of("a", "a", "a"), Map.of(1, List.of("fail", "ok"))),
            new Scenario("unavailable", "", List.of("a", "b", "a"), Map.of(1, List.of("away", "ok"))),
            new Scenario(
                    "batched",
                    "&batching=true&maxAttempts=2",
                    List.of("a", "b", "a", "b", "c"),
                    Map.of(2, List.of("fail"))),
            new Scenario(
                    "parts of a batch", "&batching=true", List.of("a", "b", "a"), Map.of(1, List.of("own", "ok"))));

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void attempts_are_made_as_by_a_relay() throws Exception {
        Map<String, List<String>> expected = byKit();
        Attempts attempts = new Attempts();
        for (Scenario scenario : SCENARIOS) {
            for (int i = 0; i < scenario.keys().size(); i++) {
                outbox.insert(scenario.keys().get(i), type(scenario), Integer.toString(i + 1));
            }
        }
        try (TestRelay relay =
                TestRelay.start(outbox.pool(), routes -> routes.getContext().addRoutes(attempts))) {
            eventually(() -> assertThat(attempts.made()).isEqualTo(expected));
            eventually(() -> assertThat(SCENARIOS).allSatisfy(scenario -> assertThat(outbox.dead(type(scenario)))
                    .hasSize(scenario.name().matches("exhausted|blocked|batched") ? 1 : 0)));
        }
        assertThat(attempts.made()).isEqualTo(expected);
    }

    private static Map<String, List<String>> byKit() {
        Attempts attempts = new Attempts();
        try (RouteTest routes = RouteTest.of(attempts).build()) {
            for (Scenario scenario : SCENARIOS) {
                List<TestedMessage> sent =
                        routes.sendAll(IntStream.range(0, scenario.keys().size())
                                .mapToObj(i -> message(type(scenario))
                                        .key("key/" + scenario.keys().get(i))
                                        .payload(Integer.toString(i + 1)))
                                .toArray(TestMessage[]::new));
                routes.retryToTheEnd();
                if (scenario.name().matches("exhausted|blocked|batched")) {
                    sent.get(scenario.name().equals("batched") ? 1 : 0).assertDead();
                }
            }
            return attempts.made();
        }
    }

    private static String type(Scenario scenario) {
        return scenario.name().replace(' ', '-');
    }

    /** Routes that fail as the scenarios say, and the attempts that reached them. */
    private static final class Attempts extends RouteBuilder {
        private final Map<String, List<String>> made = new HashMap<>();

        private final Map<String, Integer> answered = new HashMap<>();

        @Override
        public void configure() {
            errorHandler(new NoErrorHandlerBuilder());
            SCENARIOS.forEach(scenario -> from(scenario.uri().replace(' ', '-'))
                    .routeId(type(scenario))
                    .process(exchange -> attempt(scenario, exchange))
                    .choice()
                    .when(exchangeProperty("dead").isEqualTo(true))
                    .to("outbox:dead-letter")
                    .end());
        }

        synchronized Map<String, List<String>> made() {
            Map<String, List<String>> copy = new HashMap<>();
            made.forEach((name, list) -> copy.put(name, List.copyOf(list)));
            return copy;
        }

        private synchronized void attempt(Scenario scenario, Exchange exchange) throws Exception {
            List<Message> messages = exchange.getMessage().getBody() instanceof MessageBatch batch
                    ? List.copyOf(batch)
                    : List.of(exchange.getMessage());
            List<Integer> numbers = messages.stream()
                    .map(each -> Integer.valueOf(each.getBody(String.class)))
                    .toList();
            made.computeIfAbsent(scenario.name(), name -> new ArrayList<>()).add(numbers.toString());
            List<Map.Entry<Message, String>> answers = Stream.iterate(0, i -> i + 1)
                    .limit(messages.size())
                    .map(i -> entry(messages.get(i), answer(scenario, numbers.get(i))))
                    .toList();
            for (Map.Entry<Message, String> each : answers) {
                switch (each.getValue()) {
                    case "fail" -> throw new IllegalStateException("told to fail");
                    case "dead" -> exchange.setProperty("dead", true);
                    case "own" -> MessageBatch.of(exchange).failed(each.getKey(), "told to fail");
                    case "away" -> {
                        exchange.setProperty(OutboxConstants.FAILURE, OutboxConstants.DESTINATION);
                        throw new ConnectException("told to be unavailable");
                    }
                    default -> {}
                }
            }
        }

        private String answer(Scenario scenario, int number) {
            List<String> answers = scenario.answers().getOrDefault(number, List.of("ok"));
            int attempt = answered.merge(scenario.name() + number, 1, Integer::sum);
            return answers.get(Math.min(attempt, answers.size()) - 1);
        }
    }
}
