package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.schedule.Outcome;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.support.DefaultComponent;
import org.apache.camel.support.DefaultEndpoint;
import org.apache.camel.support.DefaultProducer;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.Answers;

/** Services of AWS that answer with 200 and name what they refuse. */
class RefusedEntriesTest extends UserRoutes {
    private static final String[] ANSWERS = {
        "sqs accepts: DELIVERED",
        "sqs refuses: RETRY",
        "events accepts: DELIVERED",
        "events refuses: RETRY",
        "firehose accepts: DELIVERED",
        "firehose refuses: RETRY",
        "lambda accepts: DELIVERED",
        "lambda refuses: RETRY",
        "s3 accepts: DELIVERED"
    };

    /** The number of entries in the answer is the last digit. */
    private static final String[] ANSWERS_TO_TWO = {
        "sqs answers 2: DELIVERED",
        "sqs answers 1: RETRY",
        "sqs answers 0: RETRY",
        "firehose answers 2: DELIVERED",
        "firehose answers 1: RETRY"
    };

    RefusedEntriesTest() {
        route("answer to one entry", route -> route.to("aws:any"), "sqs answers 0: RETRY", "events answers 0: RETRY");
        route(
                "answer to two entries",
                route -> route.process(exchange -> send(exchange, TWO)).to("aws:any"),
                ANSWERS_TO_TWO);
        route(
                "answer to two entries of a list",
                route -> route.process(exchange -> send(exchange, TWO)).recipientList(constant("aws:a,aws:b")),
                ANSWERS_TO_TWO);
        route(
                "answer to two events",
                route -> route.process(exchange -> send(exchange, new Answers.PutEventsRequest(TWO)))
                        .to("aws:any"),
                "events answers 2: DELIVERED",
                "events answers 1: RETRY");
        route(
                "answer to an event of a list",
                route -> route.process(exchange -> send(exchange, TWO)).to("aws:any"),
                "events answers 1: DELIVERED");
        route(
                "answer to two entries of a variable",
                route -> route.process(exchange -> send(exchange, TWO))
                        .setVariable("entries", constant(List.of("1")))
                        .toV("aws:any", "entries", null),
                "sqs answers 1: DELIVERED",
                "sqs answers 0: RETRY");
        route("answer of to", route -> route.to("aws:any"), ANSWERS);
        route("answer of toD", route -> route.toD("aws:${header.id}"), ANSWERS);
        route("answer of a list", route -> route.recipientList(constant("aws:a,aws:b")), ANSWERS);
        route("answer of enrich", route -> route.enrich("aws:any"), ANSWERS);
        route("answer in a split", route -> route.split(tokens()).to("aws:any").log("sent"), "sqs refuses: RETRY");
        route(
                "answer that the route looks at",
                route -> route.doTry()
                        .to("aws:any")
                        .doCatch(IllegalStateException.class)
                        .setBody(constant("s3 accepts"))
                        .to("aws:other")
                        .end(),
                "sqs refuses: DELIVERED");
        route(
                "answer that is still the body at the next step",
                route -> route.doTry()
                        .to("aws:any")
                        .doCatch(IllegalStateException.class)
                        .to("aws:nothing")
                        .end(),
                "sqs refuses: DELIVERED",
                "lambda refuses: DELIVERED");
    }

    private static final List<String> TWO = List.of("1", "2");

    private static void send(Exchange exchange, Object body) {
        exchange.setProperty("told", exchange.getMessage().getBody());
        exchange.getMessage().setBody(body);
    }

    @Override
    void prepare(CamelContext camel) {
        camel.addComponent("aws", new DefaultComponent() {
            @Override
            protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) {
                return new Aws(uri, this);
            }
        });
    }

    @Test
    void the_error_says_what_was_refused() throws Exception {
        assertThat(sent("refusing", route -> route.to("aws:any"), "sqs refuses", "lambda refuses"))
                .allMatch(result -> result.outcome() == Outcome.RETRY)
                .extracting(result -> result.failure().errorText())
                .satisfiesExactly(
                        sqs -> assertThat(sqs).contains("failed=[1: InternalError]"),
                        lambda -> assertThat(lambda).isEqualTo("The function has failed: Unhandled"));
    }

    private static final class Aws extends DefaultEndpoint {
        Aws(String uri, DefaultComponent component) {
            super(uri, component);
        }

        @Override
        public Producer createProducer() {
            return new DefaultProducer(this) {
                @Override
                public void process(Exchange exchange) {
                    answer(
                            exchange,
                            exchange.getProperty("told", exchange.getMessage().getBody(), String.class));
                }
            };
        }

        private static void answer(Exchange exchange, String sent) {
            int refused = sent.endsWith("refuses") ? 1 : 0;
            List<String> entries =
                    Collections.nCopies(sent.matches(".*[0-9]") ? sent.charAt(sent.length() - 1) - '0' : 2, "1");
            switch (sent.replaceFirst(" .*", "")) {
                case "sqs" ->
                    exchange.getMessage()
                            .setBody(new Answers.SendMessageBatchResponse(
                                    entries, refused > 0 ? List.of("1: InternalError") : List.of()));
                case "events" -> exchange.getMessage().setBody(new Answers.PutEventsResponse(refused, entries));
                case "firehose" -> exchange.getMessage().setBody(new Answers.PutRecordBatchResponse(refused, entries));
                case "lambda" -> {
                    exchange.getMessage().setBody("{\"error\": " + refused + "}");
                    exchange.getMessage().setHeader("CamelAwsLambdaFunctionError", refused > 0 ? "Unhandled" : null);
                }
                case "s3" -> exchange.getMessage().setBody(new Answers.PutObjectResponse("a"));
                default -> {}
            }
        }

        @Override
        public Consumer createConsumer(Processor processor) {
            throw new UnsupportedOperationException();
        }
    }
}
