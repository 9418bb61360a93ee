package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PeopleMarksIT {
    private long nanos;
    private final TestOutbox outbox = TestOutbox.create();
    private final PeopleMarks marks = new PeopleMarks(outbox.dataSource(), () -> nanos);

    @Test
    void the_steps_of_a_change_of_many_messages_within_a_minute_are_one_mark() throws Exception {
        outbox.execute("insert into outbox_audit (at, who, action, subscription, messages, detail, reason) select"
                + " date_trunc('minute', now()) - interval '1 hour' + n * interval '1 second', 'anna', 'retry', 'sms',"
                + " '{[1,9)}',        '{\"messages\": 8}', 'gateway is back' from generate_series(1, 30) n");
        outbox.execute("insert into outbox_audit (who, action, subscription, message, detail) values ('ben', 'discard',"
                + " 'mail', 7, '{}'), ('ben', 'mark', 'mail', null, '{}'), ('ben', 'prune', '*', null, '{}'),"
                + " ('ben', 'lanes', 'mail', null, '{\"job\": 7, \"change\": \"cancel\"}')");
        outbox.execute("insert into outbox_audit (at, who, action, subscription)"
                + " values (now() - interval '8 days', 'ben', 'pause', 'mail')");

        List<Mark> all = marks.all();

        assertThat(all).extracting(Mark::what).containsExactly("prune", "discard", "retry");
        assertThat(all).extracting(Mark::count).containsExactly(1L, 1L, 30L);
        assertThat(all)
                .extracting(Mark::messages)
                .containsExactly(Optional.empty(), Optional.of(1L), Optional.of(240L));
        assertThat(all).extracting(Mark::subscriptions).containsExactly(List.of(), List.of("mail"), List.of("sms"));
        assertThat(all.get(2).note()).contains("gateway is back");
        assertThat(all.get(2).audit()).contains(1L);
        assertThat(all).allMatch(Mark::person);
    }

    /** Whoever may insert there chooses it. */
    @Test
    void a_number_of_messages_that_caravan_would_not_write_is_none() throws Exception {
        outbox.execute("insert into outbox_audit (who, action, subscription, detail) values ('eve', 'retry', 'sms',"
                + " '{\"messages\": 1.5}'), ('eve', 'retry', 'sms', '{\"messages\": 1e400}')");

        assertThat(marks.all()).extracting(Mark::messages).containsOnly(Optional.empty());
    }

    @Test
    void the_marks_are_read_again_after_a_new_entry_and_once_a_minute() throws Exception {
        pause("anna");
        assertThat(names()).containsExactly("anna");

        outbox.execute("update outbox_audit set who = 'ben'");
        assertThat(names()).as("nothing new").containsExactly("anna");
        nanos += TimeUnit.SECONDS.toNanos(61);
        assertThat(names()).as("a minute later").containsExactly("ben");

        outbox.execute("update outbox_audit set who = 'cleo'");
        pause("dora");
        assertThat(names()).as("after a new entry").containsExactlyInAnyOrder("cleo", "dora");
    }

    private void pause(String who) throws Exception {
        outbox.execute("insert into outbox_audit (who, action, subscription) values ('" + who + "', 'pause', 'sms')");
    }

    private List<String> names() throws Exception {
        return marks.all().stream().flatMap(mark -> mark.who().stream()).toList();
    }
}
