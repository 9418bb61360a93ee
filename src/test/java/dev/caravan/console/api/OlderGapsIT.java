package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.explain.Gaps;
import dev.caravan.operate.failed.Shown;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the API shows of ids that are only in the older gaps. */
class OlderGapsIT {
    private TestOutbox database;

    @BeforeEach
    void message3IsNotDelivered() throws SQLException {
        database = TestOutbox.create();
        database.insert(5);
        database.execute("delete from outbox where id = 1;"
                + " insert into outbox_subscription (name, position, older_gaps) values ('sms', 5, '{[1,2), [3,4)}')");
    }

    @Test
    void a_message_is_not_delivered_yet() throws SQLException {
        assertThat(stateOf(3)).isEqualTo("not delivered yet");
        assertThat(stateOf(4)).isEqualTo("delivered");
    }

    @Test
    void missing_ids_are_listed_and_messages_counted() throws SQLException {
        Gaps gaps = Gaps.of(database.dataSource(), "sms");

        assertThat(gaps.ranges()).isEqualTo("[{\"lane\" : 0, \"from\" : 1, \"to\" : 1, \"missing\" : true}]");
        assertThat(gaps.missing()).isEqualTo(1);
        assertThat(gaps.notDelivered()).isEqualTo(1);
        assertThat(gaps.isComplete()).isTrue();
    }

    private String stateOf(long id) throws SQLException {
        return new MessageSearch(database.dataSource())
                .show(id, Shown.NAMES_ONLY)
                .orElseThrow()
                .subscriptions()
                .get(0)
                .state();
    }
}
