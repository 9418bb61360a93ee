package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.HttpGateway.Answer;
import org.junit.jupiter.api.Test;

/** A message of which a part fails, with a real destination. {@link PartRoutesTest} has all ways to send parts. */
class PartsIT {
    @Test
    void a_split_of_three_of_which_one_is_refused_is_a_dead_letter() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                HttpGateway http = new HttpGateway()) {
            http.answersWith(part -> Answer.of(part == 2 ? 400 : 200));
            outbox.insert("a", "order.created", "\"1,2,3\"");
            try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                    .transform(routes.body().regexReplaceAll("\"", ""))
                    .split(UserRoutes.tokens())
                    .setHeader("position", routes.body())
                    .to(http.uri()))) {
                eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
                assertThat(http.taken()).contains(1L, 3L);
                assertThat(outbox.text("select error_class from outbox_dead_letter"))
                        .endsWith("HttpOperationFailedException");
            }
        }
    }
}
