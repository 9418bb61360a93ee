package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.list.Parts;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageSearchIT {
    private static final MessageSearch.Filter ALL =
            new MessageSearch.Filter(Optional.empty(), Optional.empty(), Optional.empty());
    private static final MessageSearch.Filter OF_A_KEY =
            new MessageSearch.Filter(Optional.of(new Key("order", "2")), Optional.empty(), Optional.empty());

    private TestOutbox database;
    private MessageSearch search;

    @BeforeEach
    void threeMessages() throws SQLException {
        database = TestOutbox.create();
        search = new MessageSearch(database.dataSource());
        database.insert("1");
        database.insert("2");
        database.insert("3");
    }

    /** Otherwise a role that may only insert could hide the messages of others with one row. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, 4_000_000_000_000_000_000L, 100_004})
    void a_message_whose_id_somebody_has_chosen_hides_no_other_one(long chosen) throws Exception {
        withId(chosen);

        assertThat(ids(search.find(ALL, Optional.empty()))).containsExactly(chosen, 3L, 2L, 1L);
        assertThat(ids(search.find(OF_A_KEY, Optional.empty()))).containsExactly(2L);
        assertThat(exported(ALL)).containsExactly(chosen, 3L, 2L, 1L);
    }

    /** Nobody can ask for such an id, and it is never delivered. */
    @ParameterizedTest
    @ValueSource(longs = {-1, -4_000_000_000_000_000_000L, Long.MIN_VALUE})
    void a_message_with_a_negative_id_is_not_searched(long chosen) throws Exception {
        withId(chosen);

        assertThat(search.find(ALL, Optional.empty()).more()).isFalse();
        assertThat(exported(ALL)).containsExactly(3L, 2L, 1L);
    }

    @Test
    void a_window_has_a_number_of_messages() throws Exception {
        database.execute("select setval('outbox_id_seq', 200000)");
        database.insertMany(50_000, 10);

        MessageSearch.Window first = search.find(OF_A_KEY, Optional.empty());
        assertThat(first.items()).isEmpty();
        assertThat(first.searchedDownTo()).isEqualTo(200_001);
        assertThat(first.more()).isTrue();
        MessageSearch.Window second = search.find(OF_A_KEY, Optional.of(first.searchedDownTo()));
        assertThat(ids(second)).containsExactly(2L);
        assertThat(second.more()).isFalse();
        assertThat(search.find(ALL, Optional.of(0L)).items()).isEmpty();
    }

    @Test
    void a_hundred_messages_are_a_page() throws Exception {
        database.insertMany(97, 10);
        assertThat(search.find(ALL, Optional.empty()).more()).isFalse();

        database.insert("4");
        MessageSearch.Window page = search.find(ALL, Optional.empty());
        assertThat(page.items()).hasSize(100);
        assertThat(page.searchedDownTo()).isEqualTo(2);
        assertThat(page.more()).isTrue();
        assertThat(exported(ALL))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 101).mapToObj(id -> 102 - id).toList());
    }

    private void withId(long id) {
        database.execute("insert into outbox (id, aggregate_type, aggregate_id, type) overriding system value values ("
                + id + ", 'order', '9', 'order.created')");
    }

    private static List<Long> ids(MessageSearch.Window found) {
        return found.items().stream().map(item -> item.identity().id()).toList();
    }

    private List<Long> exported(MessageSearch.Filter filter) throws Exception {
        List<Long> ids = new ArrayList<>();
        int read = 0;
        Parts<MessageSearch.Summary> parts = search.parts(filter);
        for (var part = parts.next(); part.isPresent(); part = parts.next()) {
            part.get().forEach(item -> ids.add(item.identity().id()));
            assertThat(++read).as("parts").isLessThan(10);
        }
        return ids;
    }
}
