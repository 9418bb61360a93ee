package dev.caravan.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Failure;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.Example;

class BlockedKeysTest {
    private static final Key KEY = new Key("order", "1");
    private static final Failure FAILURE = new Failure("java.io.IOException", "refused", "", "", "refused");
    private static final Delivery DELIVERY =
            Delivery.fresh(new Message(1, new UUID(0, 1), KEY, "order.created", null, null, Instant.EPOCH));
    private static final Change RETRY = new Change.Retry(DELIVERY, 1, Duration.ZERO, FAILURE);
    private static final Change DEAD = new Change.Dead(DELIVERY, 1, FAILURE);
    private static final Change REMOVE = new Change.Remove(DELIVERY);

    private final BlockedKeys keys = new BlockedKeys(true);

    @Example
    void nothing_follows_while_a_message_of_the_key_has_a_time_to_be_tried_at() {
        change(RETRY);
        assertThat(keys.readyToFollow(9)).isEmpty();

        keys.dueTaken(KEY);
        keys.left(KEY);
        change(REMOVE);
        assertThat(keys.readyToFollow(9)).as("there may be another one").isEmpty();
        assertThat(keys.waitForSurvey()).isTrue();
        survey(Map.of(KEY, false), Set.of());

        assertThat(keys.readyToFollow(9)).containsExactly(KEY);
        assertThat(keys.waitForSurvey()).isFalse();
    }

    @Example
    void a_second_message_of_the_key_that_waits_for_its_time_is_found_by_the_survey() {
        change(RETRY);
        keys.dueTaken(KEY);
        keys.left(KEY);
        change(REMOVE);

        survey(Map.of(KEY, true), Set.of());

        assertThat(keys.readyToFollow(9)).isEmpty();
    }

    @Example
    void a_dead_letter_holds_its_key_from_the_moment_it_is_saved_until_a_survey_finds_it_gone() {
        change(DEAD);
        assertThat(keys.readyToFollow(9)).isEmpty();
        survey(Map.of(KEY, false), Set.of(KEY));
        assertThat(keys.readyToFollow(9)).isEmpty();

        survey(Map.of(KEY, false), Set.of());

        assertThat(keys.readyToFollow(9)).containsExactly(KEY);
    }

    @Example
    void a_dead_letter_that_is_retried_while_others_of_its_key_are_saved_holds_them_until_its_time_is_known() {
        change(DEAD);
        keys.changes(KEY);
        survey(Map.of(KEY, true), Set.of());
        keys.saved(new Change.Block(DELIVERY));

        assertThat(keys.readyToFollow(9)).isEmpty();
        assertThat(keys.waitForSurvey()).isTrue();
    }

    @Example
    void a_dead_letter_holds_nothing_if_dead_letters_do_not_block() {
        BlockedKeys free = new BlockedKeys(false);
        free.changes(KEY);
        free.saved(DEAD);

        assertThat(free.readyToFollow(9)).containsExactly(KEY);
    }

    @Example
    void a_key_is_forgotten_when_nothing_of_it_is_left() {
        change(REMOVE);

        keys.nothingLeft(KEY);

        assertThat(keys.contains(KEY)).isFalse();
    }

    @Example
    void a_key_with_something_to_save_is_kept_although_nothing_was_left_when_its_followers_were_looked_up() {
        change(REMOVE);
        keys.changes(KEY);

        keys.nothingLeft(KEY);

        assertThat(keys.contains(KEY)).isTrue();
        keys.saved(REMOVE);
        assertThat(keys.readyToFollow(9)).containsExactly(KEY);
    }

    @Example
    void a_survey_finds_keys_of_people_and_forgets_those_that_are_gone_but_not_what_is_under_way() {
        Key other = new Key("order", "2");
        survey(Map.of(other, true), Set.of());
        keys.changes(KEY);
        assertThat(keys.count()).isEqualTo(2);

        survey(Map.of(), Set.of());

        assertThat(keys.contains(other)).isFalse();
        assertThat(keys.contains(KEY)).isTrue();
    }

    @Example
    void no_more_keys_follow_than_asked_for() {
        survey(Map.of(KEY, false, new Key("order", "2"), false), Set.of());

        assertThat(keys.readyToFollow(1)).hasSize(1);
    }

    private void change(Change change) {
        keys.changes(KEY);
        keys.saved(change);
    }

    private void survey(Map<Key, Boolean> waiting, Set<Key> dead) {
        keys.surveyed(new RetrySurvey(waiting, dead, Long.MAX_VALUE));
    }
}
