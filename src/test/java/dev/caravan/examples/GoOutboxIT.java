package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.docs.DocsPage;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code go-outbox}. Both clusters are the broker of the tests. */
class GoOutboxIT {
    @TempDir
    private Path workspace;

    @Test
    void each_message_is_sent_to_the_topic_that_it_names_after_all_of_the_old_dispatcher() throws Exception {
        try (var example = new Example("go-outbox", workspace)) {
            example.given("MAIN_BROKERS", TestKafka.brokers());
            example.given("BILLING_BROKERS", TestKafka.brokers());
            example.execute(Path.of("examples/go-outbox/schema.sql"));
            example.execute("insert into outbox (id, broker, topic, key, body)"
                    + " select gen_random_uuid(), 'main', 'orders', n::text, '{}' from generate_series(1, 3) n");
            assertThat(example.follow("## Prepare")).contains("published", "No problems found");

            publish(example, "main", "shipments", "7", 2);
            publish(example, "billing", "invoices", "7", 1);
            publish(example, "main", "payroll", "8", 1);
            assertThat(example.number("select sum(delivered) from caravan.outbox_subscription"))
                    .isZero();
            example.execute("update public.outbox set state = 'processed', processed_on = now()");
            assertThat(example.follow("## Switch")).contains("main-cluster", "billing-cluster");

            List<Records.Received> shipments = Records.of(TestKafka.brokers(), "shipments", 2);
            assertThat(shipments).extracting(Records.Received::value).containsExactly("{\"n\":1}", "{\"n\":2}");
            assertThat(shipments).extracting(Records.Received::key).containsOnly("7");
            assertThat(Records.of(TestKafka.brokers(), "invoices", 1)).hasSize(1);
            eventually(() -> assertThat(example.number("select count(*) from caravan.outbox_dead_letter"))
                    .isOne());
            assertThat(example.follow("## What is better now")).contains("main-cluster", "order/8");
        }
    }

    /** With the statement of the page. */
    private static void publish(Example example, String broker, String topic, String key, int count) {
        String go = DocsPage.read("examples/go-outbox/README.md").blocks("go").get(0);
        var statement = Pattern.compile("(?s)`(.*?)`").matcher(go);
        assertThat(statement.find()).isTrue();
        String sql = statement.group(1).replaceAll("\\$\\d", "?");
        for (int n = 1; n <= count; n++) {
            example.jdbc().queryForObject(sql, Object.class, key, broker + ".message", "{\"n\":" + n + "}", topic);
        }
    }
}
