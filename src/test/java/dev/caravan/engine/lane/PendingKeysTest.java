package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import net.jqwik.api.Example;

class PendingKeysTest {
    private static final Key KEY = new Key("order", "1");

    private final PendingKeys keys = new PendingKeys();

    @Example
    void a_key_is_under_way_from_a_change_of_it_until_that_is_saved() {
        assertThat(keys.contains(KEY)).isFalse();
        keys.changed(KEY, 7);
        assertThat(keys.contains(KEY)).isTrue();

        keys.saved(KEY, 7);

        assertThat(keys.contains(KEY)).isFalse();
        assertThat(keys.isEmpty()).isTrue();
    }

    @Example
    void a_key_is_under_way_from_the_moment_a_message_is_taken_until_what_became_of_it_is_saved() {
        keys.taken(KEY);
        assertThat(keys.contains(KEY)).isTrue();
        keys.changed(KEY, 7);
        keys.finished(KEY);
        assertThat(keys.contains(KEY)).isTrue();

        keys.saved(KEY, 7);

        assertThat(keys.contains(KEY)).isFalse();
    }

    @Example
    void a_key_stays_under_way_while_another_message_of_it_is_taken() {
        keys.taken(KEY);
        keys.changed(KEY, 8);

        keys.saved(KEY, 8);

        assertThat(keys.contains(KEY)).isTrue();
    }

    @Example
    void only_changes_of_earlier_messages_that_are_not_saved_go_first() {
        assertThat(keys.hasEarlierUnsaved(KEY, 7)).isFalse();
        keys.changed(KEY, 7);
        keys.changed(KEY, 9);
        assertThat(keys.hasEarlierUnsaved(KEY, 7)).isFalse();
        assertThat(keys.hasEarlierUnsaved(KEY, 8)).isTrue();
        assertThat(keys.hasEarlierUnsaved(new Key("order", "2"), 8)).isFalse();

        keys.saved(KEY, 7);

        assertThat(keys.hasEarlierUnsaved(KEY, 8)).isFalse();
    }
}
