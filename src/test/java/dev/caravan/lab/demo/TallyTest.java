package dev.caravan.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TallyTest {
    private static final Map<String, SentMessage> SENT = sent();

    private final RecordedArrivals arrivals = new RecordedArrivals();

    @Test
    void all_that_was_sent_arrived_in_order() {
        arrive("a3", "a7", "b3");

        assertThat(tally()).isEqualTo(new Tally("sms", 3, 3, 0, 0, 0, 0, 0));
        assertThat(tally().good()).isTrue();
    }

    @Test
    void a_lost_message_is_missing() {
        arrive("a3", "b3");

        assertThat(tally().missing()).isEqualTo(1);
        assertThat(tally().good()).isFalse();
    }

    @Test
    void a_message_that_was_rolled_back_is_unexpected() {
        arrive("a3", "a7", "b3", "rolled-back");

        assertThat(tally().unexpected()).isEqualTo(1);
        assertThat(tally().good()).isFalse();
    }

    @Test
    void a_message_of_a_type_for_other_destinations_is_unexpected() {
        arrive("a3", "a7", "b3", "a1");

        assertThat(tally().unexpected()).isEqualTo(1);
        assertThat(tally().good()).isFalse();
    }

    @Test
    void a_later_message_of_a_key_before_an_earlier_one_is_out_of_order() {
        arrive("a7", "a3", "b3");

        assertThat(tally().outOfOrder()).isEqualTo(1);
        assertThat(tally().good()).isFalse();
    }

    @Test
    void keys_need_no_order_among_each_other() {
        arrive("b3", "a3", "a7");

        assertThat(tally().good()).isTrue();
    }

    @Test
    void a_repeat_is_counted_and_allowed_even_behind_later_messages() {
        arrive("a3", "a7", "a3", "b3");

        assertThat(tally().repeats()).isEqualTo(1);
        assertThat(tally().outOfOrder()).isZero();
        assertThat(tally().good()).isTrue();
    }

    @Test
    void a_message_to_another_number_is_misaddressed_also_when_it_is_a_repeat() {
        arrive("a3", "a7", "b3");
        arrivals.add("b3", "+1 of somebody else", "");

        assertThat(tally().misaddressed()).isEqualTo(1);
        assertThat(tally().good()).isFalse();
    }

    @Test
    void a_verdict_is_not_good_when_the_outbox_holds_something_else_than_the_application_committed() {
        assertThat(new Verdict(1, 1, 4, 4, 0, List.of()).good()).isTrue();
        assertThat(new Verdict(1, 1, 4, 3, 0, List.of()).good()).isFalse();
        assertThat(new Verdict(1, 1, 4, 4, 0, List.of()).toJson()).contains("\"good\" : true");
    }

    private void arrive(String... messageIds) {
        for (String messageId : messageIds) {
            arrivals.add(messageId, "+" + messageId.charAt(0), "");
        }
    }

    private Tally tally() {
        return Tally.of(DemoDestination.SMS, SENT, arrivals.inOrder());
    }

    private static Map<String, SentMessage> sent() {
        Map<String, SentMessage> sent = new LinkedHashMap<>();
        sent.put("a1", new SentMessage("a", "booking.requested", 1, "+a", "a@example.com"));
        sent.put("a3", new SentMessage("a", "booking.confirmed", 3, "+a", "a@example.com"));
        sent.put("b3", new SentMessage("b", "booking.confirmed", 3, "+b", "b@example.com"));
        sent.put("a7", new SentMessage("a", "booking.cancelled", 7, "+a", "a@example.com"));
        return sent;
    }
}
