package dev.caravan.database.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class IdempotentIdsIT {
    @Test
    void pruning_removes_ten_thousand_old_ids_at_a_time_and_ends_when_its_relay_stops() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.execute("insert into outbox_idempotent (processorname, messageid, createdat)"
                + " select 'sms', n::text, localtimestamp - interval '31 days' from generate_series(1, 10001) n;"
                + " insert into outbox_idempotent (processorname, messageid) values ('sms', 'new')");
        IdempotentIds ids = new IdempotentIds(database.dataSource(), Duration.ofDays(30));
        Thread.currentThread().interrupt();

        long pruned = ids.prune();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(pruned).isEqualTo(10_000);
        assertThat(ids.prune()).isEqualTo(1);
        assertThat(database.text("select string_agg(messageid, ' ') from outbox_idempotent"))
                .isEqualTo("new");
    }
}
