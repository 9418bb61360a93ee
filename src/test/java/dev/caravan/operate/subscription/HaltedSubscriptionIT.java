package dev.caravan.operate.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.audit.Actor;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HaltedSubscriptionIT {
    @Test
    void one_that_is_resumed_after_an_id_has_no_gaps_from_before() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.insert(5);
        database.execute("insert into outbox_subscription (name, position, gaps, older_gaps, halted_at, halted_reason)"
                + " values ('sms', 9, '{[8,9)}', '{[6,7)}', now(), 'position 9 is ahead')");

        new HaltedSubscription(database.dataSource(), "sms").resume(2, new Actor("anna", Optional.empty()));

        assertThat(database.text("select concat_ws(' ', position, gaps, older_gaps is null) from outbox_subscription"))
                .isEqualTo("2 {} t");
    }
}
