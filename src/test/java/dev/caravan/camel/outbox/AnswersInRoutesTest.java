package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.JsonPathException;
import dev.caravan.camel.guard.Part;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.jackson.JacksonDataFormat;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.model.ClaimCheckOperation;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.language.JsonPathExpression;
import org.apache.camel.model.language.LanguageExpression;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps that use what a service has answered: an answer that is wrong is a failure of the service and not of the message. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AnswersInRoutesTest {
    private static final String PAYLOAD = "{\"id\": 1, \"total\": 5}";

    private final DefaultCamelContext camel = new DefaultCamelContext();
    private RawHttp service;
    private volatile String type = "application/json";
    private volatile byte[] answer;

    @BeforeAll
    void start() throws Exception {
        service = RawHttp.start((request, out) -> {
            String status = answer == null ? "HTTP/1.1 204 No Content\r\n" : RawHttp.OK;
            int length = answer == null ? 0 : answer.length;
            out.text(status + "Content-Type: " + type + "\r\nContent-Length: " + length
                    + "\r\nConnection: close\r\n\r\n");
            out.bytes(answer == null ? new byte[0] : answer);
        });
        ShippedPolicy.load(camel);
        camel.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                String ask = service.url() + "/ask";
                String sms = "sms:any?url=" + ask + "&from=RAW(+15005550006)&text=RAW(hello)&to=";
                from("direct:asks").to(ask);
                from("direct:passes").setBody(simple("${bodyAs(String)}"));

                rate(from("direct:jsonpath").to(ask));
                rate(from("direct:text").to(ask).convertBodyTo(String.class));
                from("direct:template").enrich(ask).setBody(template("{\"rate\": ${rate}}"));
                from("direct:name").enrich(ask).setBody(template("{\"name\": \"${name}\"}"));
                from("direct:payload").to(ask).setBody(new LanguageExpression("payload", "name"));
                from("direct:forwarded").to(ask).to(service.url() + "/next");
                from("direct:map").to(ask).unmarshal(new JacksonDataFormat()).setBody(simple("${body[name]}"));
                from("direct:path").to(ask).setBody(jsonpath("$.name"));
                from("direct:written").to(ask).convertBodyTo(String.class);
                from("direct:parsed").to(ask).unmarshal(new JacksonDataFormat());
                from("direct:number").to(ask).to(sms + "RAW(${rate})");
                from("direct:valid").to(ask).convertBodyTo(String.class).validate(body().contains("rate"));
                rate(from("direct:computed").toD(ask + "?n=${header.position}"));
                rate(from("direct:polled").pollEnrich(ask, 10_000));
                rate(from("direct:list").recipientList(constant(ask)).end());
                rate(from("direct:split").split(body()).to(ask));
                rate(from("direct:parallel")
                        .multicast()
                        .parallelProcessing()
                        .pipeline()
                        .to(ask));
                rate(from("direct:after-parts")
                        .multicast()
                        .pipeline()
                        .to(ask)
                        .end()
                        .end());
                rate(from("direct:called").enrich("direct:asks"));
                rate(from("direct:variable").toV(ask, null, "answer"), "variable:answer");
                JsonPathExpression suppressed = new JsonPathExpression("$.rate");
                suppressed.setSuppressExceptions("true");
                from("direct:field-of-variable")
                        .setVariable("payload", body())
                        .to(ask)
                        .setVariable("rate", suppressed)
                        .setBody(variable("payload"))
                        .setBody(template("{\"rate\": ${variable.rate}}"));

                rate(from("direct:variable-again").toV(ask, null, "answer").setBody(variable("answer")));
                rate(from("direct:stored").enrich(ask, AnswersInRoutesTest::stored), "header:answer");
                rate(
                        from("direct:polled-beside").pollEnrich(ask, 10_000, AnswersInRoutesTest::stored),
                        "header:answer");
                from("direct:merged").enrich(ask, AnswersInRoutesTest::merged).setHeader("rate", jsonpath("$[1].rate"));
                from("direct:strategy").enrich(ask, (old, found) -> {
                    JsonPath.read(found.getMessage().getBody(String.class), "$.rate");
                    return old;
                });

                rate(rate(from("direct:before")).to(ask));
                rate(from("direct:no-answer").enrich("direct:passes"));
                rate(from("direct:beside").toV(ask, null, "answer"));
                rate(from("direct:back").setVariable("payload", body()).to(ask).setBody(variable("payload")));
                rate(from("direct:made-of-payload")
                        .setVariable("payload", body())
                        .to(ask)
                        .setBody(variable("payload"))
                        .setBody(template("{\"own\": ${id}}")));
                rate(from("direct:without-body")
                        .setHeader("payload", body())
                        .setBody(constant(""))
                        .to(ask)
                        .setBody(header("payload")));
                rate(from("direct:parsed-before")
                        .setProperty("payload", body())
                        .unmarshal(new JacksonDataFormat())
                        .to("log:before")
                        .setBody(constant(""))
                        .to(ask)
                        .setBody(exchangeProperty("payload")));
                rate(from("direct:claimed")
                        .claimCheck(ClaimCheckOperation.Push)
                        .to(ask)
                        .claimCheck(ClaimCheckOperation.Pop)
                        .setBody(template("{\"own\": ${id}}")));
                rate(from("direct:processed")
                        .setVariable("payload", body())
                        .to(ask)
                        .process(sent -> sent.getMessage().setBody(sent.getVariable("payload")))
                        .unmarshal(new JacksonDataFormat()));
                rate(from("direct:behind").toD("direct:made-${header.of}"));
                rate(from("direct:enriched-behind").enrich("direct:made-of"));
                from("direct:made-of")
                        .setVariable("payload", body())
                        .to(ask)
                        .setBody(variable("payload"))
                        .setBody(template("{\"own\": ${id}}"));
                from("direct:field-header").toV(ask, null, "answer").setHeader("rate", jsonpath("$.header"));
                rate(from("direct:dropped")
                        .enrich("direct:asks", (old, found) -> old)
                        .setBody(template("{\"own\": ${id}}")));
                rate(from("direct:in-parts").split(body()).to(ask).end().setBody(template("{\"own\": ${id}}")));
                rate(from("direct:delivered").to(sms + "RAW(+15005550001)"));
                from("direct:asks-before").to(ask);
                from("direct:removed").to(ask).setBody(constant((Object) null));
                from("direct:removed-simple").to(ask).setBody(simple("${null}"));
                from("direct:none-again").setVariable("payload", body()).to(ask).setBody(variable("payload"));
                from("direct:refusing")
                        .to(ask)
                        .filter(new JsonPathExpression("$[?(@.failed > 0)]"))
                        .throwException(new IllegalStateException("refused"));
                from("direct:own-decision")
                        .to(ask)
                        .doTry()
                        .setHeader("rate", jsonpath("$.rate"))
                        .doCatch(JsonPathException.class)
                        .to("outbox:dead-letter");
            }
        });
        camel.start();
    }

    private static ProcessorDefinition<?> rate(ProcessorDefinition<?> route) {
        return rate(route, null);
    }

    private static ProcessorDefinition<?> rate(ProcessorDefinition<?> route, String source) {
        JsonPathExpression rate = new JsonPathExpression("$.rate");
        rate.setSource(source);
        return route.setHeader("rate", rate);
    }

    private static LanguageExpression template(String text) {
        return new LanguageExpression("json-template", text);
    }

    private static Exchange stored(Exchange old, Exchange found) {
        old.getMessage().setHeader("answer", found.getMessage().getBody(String.class));
        return old;
    }

    private static Exchange merged(Exchange old, Exchange found) {
        String answer = found.getMessage().getBody(String.class);
        old.getMessage().setBody("[" + old.getMessage().getBody(String.class) + ", " + answer + "]");
        return old;
    }

    @BeforeEach
    void answerJson() {
        type = "application/json";
    }

    @AfterAll
    void stop() throws Exception {
        camel.close();
        service.close();
    }

    private void answers(String text) {
        answer = text.getBytes(StandardCharsets.UTF_8);
    }

    /** As docs/configuration.md tells. */
    @Test
    void a_step_fails_when_an_answer_refuses() {
        answers("{\"failed\": 0}");
        assertThat(send("refusing", PAYLOAD).outcome()).isEqualTo(Outcome.DELIVERED);
        answers("{\"failed\": 2}");
        assertThat(send("refusing", PAYLOAD).outcome()).isEqualTo(Outcome.RETRY);
        answers("<html>");
        assertThat(send("refusing", PAYLOAD).outcome()).isEqualTo(Outcome.RETRY);
    }

    private Result send(String route, Object body) {
        Exchange exchange = sent(route, body);
        return AttemptResult.of(
                Part.of(exchange).fault(exchange), null, SettingSecrets.of(exchange.getContext()), true);
    }

    private Exchange sent(String route, Object body) {
        return camel.createProducerTemplate().send("direct:" + route, sent -> {
            Part.begin(sent, "", false);
            sent.getMessage().setHeader("position", 1);
            sent.getMessage().setHeader("of", "of");
            sent.getMessage().setBody(body);
            Part.setPayload(sent, body);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jsonpath",
                "text",
                "template",
                "name",
                "payload",
                "parsed",
                "number",
                "valid",
                "computed",
                "polled",
                "list",
                "split",
                "parallel",
                "after-parts",
                "called",
                "variable",
                "field-of-variable",
                "variable-again",
                "stored",
                "polled-beside",
                "merged",
                "strategy"
            })
    void a_message_is_retried_while_the_answer_is_wrong(String route) {
        for (String wrong : List.of("<html>We will be back soon</html>", "", "{\"error\": \"try again\"}")) {
            if (route.equals("parsed") && !wrong.startsWith("<")) {
                continue; // is JSON, or is parsed by the next step
            }
            answers(wrong);
            Result result = send(route, PAYLOAD);

            assertThat(result.outcome()).as(wrong).isEqualTo(Outcome.RETRY);
            if (!result.failure().errorText().equals("json string can not be null or empty")) {
                assertThat(result.failure().errorText())
                        .as(wrong)
                        .startsWith("The route cannot use the answer of " + service.url())
                        .doesNotContain("payload");
            }
        }
        answers("{\"rate\": \"+15005550001\", \"name\": \"Ann\"}");
        assertThat(send(route, PAYLOAD).outcome()).isEqualTo(Outcome.DELIVERED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "before",
                "no-answer",
                "beside",
                "back",
                "made-of-payload",
                "without-body",
                "parsed-before",
                "claimed",
                "processed",
                "behind",
                "enriched-behind",
                "field-header",
                "dropped",
                "in-parts",
                "delivered",
                "own-decision"
            })
    void a_message_whose_payload_is_wrong_is_dead_at_once(String route) {
        answers("{\"id\": 2}");

        Result result = send(route, PAYLOAD);

        assertThat(result.outcome()).isEqualTo(Outcome.DEAD);
        assertThat(result.failure().errorText().contains("cannot use the answer"))
                .isEqualTo(route.equals("own-decision"));
    }

    /** Of an answer without a body, no message is appended. */
    @ParameterizedTest
    @CsvSource({"asks-before, true", "removed, false", "removed-simple, false", "none-again, false"})
    void a_body_that_the_route_has_removed_is_no_answer(String route, boolean isAnswer) {
        answer = null;
        Exchange exchange = sent(route, null);

        assertThat(exchange.getMessage().getBody()).isNull();
        assertThat(Part.hasAnswer(exchange)).isEqualTo(isAnswer);
    }

    @ParameterizedTest
    @CsvSource({
        "ISO-8859-1, '', 1",
        "utf-16, '', 1",
        "'', \uFEFF, 1",
        "utf-8, \uFEFF, 1",
        "utf8mb4, '', 1",
        "utf-8, '', 1",
        "ISO-8859-1, '', 9000",
        "'', \uFEFF, 9000"
    })
    void json_of_an_answer_is_read_in_its_character_set(String charset, String mark, int length) throws Exception {
        type = "application/json" + (charset.isEmpty() ? "" : "; charset=" + charset);
        String json = mark + "{\"name\": \"Zo\u00eb\"" + " ".repeat(length) + "}";
        answer = json.getBytes(List.of("", "utf8mb4").contains(charset) ? "utf-8" : charset);

        for (String route : List.of("name", "payload", "map", "path", "written")) {
            Exchange exchange = sent(route, PAYLOAD);
            assertThat(Part.of(exchange).fault(exchange)).as(route).isNull();
            assertThat(exchange.getMessage().getBody(String.class))
                    .as(route)
                    .contains("Zo\u00eb")
                    .doesNotContain("\uFEFF");
        }
    }

    @Test
    void json_of_an_answer_is_sent_on_in_utf_8_and_says_so() {
        type = "application/problem+json; charset=ISO-8859-1; profile=x";
        answer = "{\"name\": \"Zo\u00eb\"}".getBytes(StandardCharsets.ISO_8859_1);
        sent("forwarded", PAYLOAD);

        RawHttp.Request next = service.requests().get(service.requests().size() - 1);
        assertThat(next.line()).contains("/next");
        assertThat(next.text()).isEqualTo("{\"name\": \"Zo\u00eb\"}");
        assertThat(next.header("Content-Type")).contains("application/problem+json; profile=x");
    }
}
