package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.schema.Schema;
import org.junit.jupiter.api.Test;

class OutboxesCommandIT extends CommandFixture {
    @Test
    void list_shows_each_outbox_of_the_database_and_why_it_is_not_healthy() throws Exception {
        command("schema", "apply");
        database.execute(Schema.print(new OutboxSchema("Billing")));
        database.execute(
                "insert into \"Billing\".outbox_subscription (name, position) values ('invoices', 5);"
                        + " insert into \"Billing\".outbox (aggregate_type, aggregate_id, type) select 'a', 'b', 'c' from generate_series(1, 7)");

        String text = command("outboxes", "list").out();
        JsonNode json = command("outboxes", "list", "--output", "json").json();

        assertThat(text.lines().map(line -> line.strip().replaceAll(" +", " ")))
                .startsWith("OUTBOX STATE SUBSCRIPTIONS BACKLOG LAG DEAD RELAYS VERSION")
                .contains("* public healthy 0 0 0s 0 - 1")
                .anyMatch(line -> line.matches("Billing down 1 <= 2 \\S+ 0 - -"))
                .contains("Billing is down: no relay has a lease of invoices; if no route reads it any more: ./caravan"
                        + " subscriptions delete invoices, and 1 more");
        assertThat(json.get(1).get("outbox").asText()).isEqualTo("Billing");
        assertThat(json.get(1).get("backlog").asLong()).isEqualTo(2);
    }
}
