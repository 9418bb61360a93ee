package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.camel.model.RouteDefinition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gateway that stores the answer of each key, also a refusal: it would refuse a corrected message that has the key of the wrong one. */
class EditedIdIT {
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final TestHttp gateway = new TestHttp(request -> TestHttp.Answer.of(status(request)));
    private final TestOutbox outbox = TestOutbox.create();
    private final Person person = new Person(outbox);

    private int status(TestHttp.Request request) {
        String key = request.path().equals("/sms") ? request.header("Idempotency-Key") : request.header("webhook-id");
        if (!request.text().contains("right")) {
            refused.add(key);
        }
        return refused.contains(key) ? 400 : 200;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sms:gateway?to=RAW(+15550100001)&from=RAW(+15005550006)&text=RAW(${to})&url=",
                "standard-webhook:hooks?allowPrivateAddresses=true&secrets=RAW(whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw)&url="
            })
    void an_edited_message_has_an_id_of_its_own_which_it_keeps_until_the_next_edit(String step) throws Exception {
        start("", route -> route.to(step + gateway.url() + (step.startsWith("sms") ? "/sms" : "/hooks")));
        outbox.insert("a", "booked", "{\"to\": \"wrong\"}");
        eventuallyDead(1);
        person.retryAll();
        eventuallyDead(2);
        assertThat(Set.copyOf(refused)).as("the same content").hasSize(1);

        person.editAll("{\"to\": \"wrong again\"}");
        eventuallyDead(3);
        person.retryAll();
        eventuallyDead(4);
        assertThat(Set.copyOf(refused)).hasSize(2);

        person.editAll("{\"to\": \"right\"}");
        eventually(() -> assertThat(gateway.requests()).hasSize(5));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void an_edited_message_is_sent_apart_from_a_batch_with_its_own_id() throws Exception {
        start("&batching=true", route -> route.split()
                .body()
                .to("sms:gateway?to=RAW(+15550100001)&from=RAW(+15005550006)&text=RAW(${to})&url=" + gateway.url()
                        + "/sms"));
        outbox.insert("a", "booked", "{\"to\": \"wrong\"}");
        outbox.insert("b", "booked", "{\"to\": \"wrong\"}");
        eventually(() -> assertThat(outbox.dead("orders")).hasSize(2));

        person.editAll("{\"to\": \"right\"}");

        eventually(() -> assertThat(gateway.bodies().stream().filter(body -> body.contains("right")))
                .hasSize(2));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
    }

    private void eventuallyDead(int requests) throws Exception {
        eventually(() -> assertThat(gateway.requests()).hasSize(requests));
        eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
    }

    private void start(String options, Consumer<RouteDefinition> steps) throws Exception {
        TestRelay.startAsShipped(
                outbox.pool(), routes -> steps.accept(routes.from("outbox:orders?maxAttempts=1" + options)));
    }
}
