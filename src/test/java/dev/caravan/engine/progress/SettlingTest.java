package dev.caravan.engine.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.Choices;
import dev.caravan.engine.lane.SimulatedOutbox;
import dev.caravan.engine.lane.SimulatedOutbox.Transaction;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SettlingTest {
    private static final long ALL = Long.MAX_VALUE;
    private static final Writers NOBODY = new Writers(Set.of());

    private static final long LEFT_OUT_AFTER = 10;

    private final Settling settling = new Settling(LEFT_OUT_AFTER);

    @Provide
    Arbitrary<List<Integer>> steps() {
        return Choices.lists(0, 400);
    }

    @Property
    void an_id_that_an_open_transaction_may_still_fill_is_never_settled_and_a_rolled_back_one_is_settled_eventually(
            @ForAll("steps") List<Integer> steps) {
        Choices choices = new Choices(steps);
        SimulatedOutbox outbox = new SimulatedOutbox();
        Progress progress = new Progress(new SavedProgress(0, new IdRanges()));
        Settling watched = new Settling(choices.below(3));
        OptionalLong lastId = OptionalLong.empty();
        long now = 0;
        if (choices.below(2) == 0) {
            outbox.hideSessions();
        }

        while (choices.hasMore()) {
            now++;
            switch (choices.below(4)) {
                case 0 -> read(outbox, progress, watched, 1 + choices.below(4), now);
                case 1 -> {
                    if (lastId.isEmpty()) {
                        lastId = OptionalLong.of(outbox.lastId()); // the observation begins
                    } else {
                        progress.lookUpAgain(watched.observe(outbox.writers(lastId.getAsLong())));
                        lastId = OptionalLong.empty();
                    }
                }
                default -> write(outbox, choices);
            }
        }
        List.copyOf(outbox.transactions()).forEach(transaction -> {
            transaction.rollBack();
            transaction.release();
        });
        for (int i = 0; i < 200; i++) {
            read(outbox, progress, watched, 4, now);
            progress.lookUpAgain(watched.observe(outbox.writers()));
        }

        assertThat(progress.missing()).isEqualTo(new IdRanges());
        assertThat(progress.leftOut()).isEqualTo(new IdRanges());
        assertThat(watched.needsWriters()).isFalse();
    }

    /** One read of the loop; whatever it settles must be rolled back at this moment, and what it leaves out must not be visible. */
    private static void read(SimulatedOutbox outbox, Progress progress, Settling settling, int limit, long now) {
        settling.readStarts();
        Batch batch = outbox.read(new Read(
                progress.position(),
                progress.missing().toMultirange(),
                settling.openTransactions(),
                Long.MAX_VALUE,
                limit,
                ALL));
        if (!batch.ended().isEmpty()) {
            progress.lookUpAgain(settling.ended(batch.ended()));
            return;
        }
        if (!batch.messages().isEmpty()) {
            assertThat(outbox.toDeliver())
                    .as("visible messages that are left out")
                    .noneMatch(message -> progress.leftOut().contains(message.id()));
        }
        IdRanges skipped = new IdRanges();
        batch.messages().forEach(message -> {
            settling.appeared(message.id());
            skipped.addAll(progress.take(message.id()));
        });
        IdRanges settled = new IdRanges(progress.missing());
        progress.settle(settling.readEnded(batch.coveredTo()));
        settled.removeAll(progress.missing());
        for (long id = 1; id <= progress.position(); id++) {
            if (settled.contains(id)) {
                assertThat(outbox.isNothingToDeliver(id))
                        .as("settled id %s was rolled back", id)
                        .isTrue();
            }
        }
        progress.leaveOut(settling.leaveOut(batch.coveredTo(), now));
        settling.suspect(skipped, now);
    }

    private static void write(SimulatedOutbox outbox, Choices choices) {
        List<Transaction> open = outbox.transactions();
        if (open.size() < 2 || open.size() < 5 && choices.below(4) == 0) {
            outbox.begin();
            return;
        }
        Transaction transaction = open.get(choices.below(open.size()));
        switch (choices.below(choices.below(8) == 0 ? 12 : 11)) {
            case 11 -> outbox.crash();
            case 9, 10 -> transaction.execute(choices.below(2) == 0);
            case 0 -> transaction.commit();
            case 1 -> transaction.rollBack();
            case 2, 3 -> transaction.release();
            case 4 -> transaction.prepare();
            default -> transaction.write(new Key("order", "" + choices.below(20)), "order.created", null);
        }
    }

    @Example
    void an_id_is_settled_by_the_first_read_that_starts_after_its_writers_have_ended() {
        settling.suspect(IdRanges.of(5, 6), 0);
        settling.observe(running("3/1"));
        assertThat(nextRead(ALL)).isEqualTo(new IdRanges());

        settling.observe(running("3/2"));

        assertThat(nextRead(ALL)).hasToString("{[5,7)}");
        assertThat(settling.needsWriters()).isFalse();
    }

    @Example
    void the_end_of_the_last_writer_during_a_read_does_not_settle_with_that_read() {
        settling.suspect(IdRanges.of(5, 5), 0);
        settling.observe(running("3/1"));
        settling.readStarts();
        settling.observe(NOBODY);

        assertThat(settling.readEnded(ALL)).isEqualTo(new IdRanges());
        assertThat(nextRead(ALL)).hasToString("{[5,6)}");
    }

    @Example
    void without_an_observation_of_the_writers_no_id_is_settled() {
        settling.suspect(IdRanges.of(5, 5), 0);

        assertThat(nextRead(ALL)).isEqualTo(new IdRanges());
        assertThat(nextRead(ALL)).isEqualTo(new IdRanges());
    }

    @Example
    void a_transaction_that_was_prepared_is_waited_for_under_its_new_identity() {
        settling.suspect(IdRanges.of(5, 5), 0);
        settling.observe(running("3/1"));
        settling.observe(new Writers(Set.of(Writer.prepared(7))));
        assertThat(nextRead(ALL)).isEqualTo(new IdRanges());

        settling.observe(NOBODY);

        assertThat(nextRead(ALL)).hasToString("{[5,6)}");
    }

    @Example
    void a_read_that_was_cut_short_settles_nothing_above_its_last_row() {
        settling.suspect(IdRanges.of(5, 9), 0);
        settling.observe(NOBODY);

        assertThat(nextRead(6)).hasToString("{[5,7)}");
        assertThat(nextRead(ALL)).hasToString("{[7,10)}");
    }

    @Example
    void after_a_failed_read_the_next_one_settles() {
        settling.suspect(IdRanges.of(5, 5), 0);
        settling.observe(NOBODY);
        settling.readStarts();

        assertThat(nextRead(ALL)).hasToString("{[5,6)}");
    }

    @Example
    void new_writers_do_not_delay_ids_that_were_missing_before_they_began() {
        settling.suspect(IdRanges.of(5, 5), 0);
        settling.observe(running("3/1"));
        settling.observe(running("3/2"));
        settling.suspect(IdRanges.of(8, 8), 0);
        settling.observe(running("3/2"));

        assertThat(nextRead(ALL)).hasToString("{[5,6)}");
        assertThat(settling.needsWriters()).isTrue();
    }

    @Example
    void ids_drawn_while_a_writer_is_idle_do_not_wait_for_its_end() {
        settling.suspect(IdRanges.of(1, 1), 0);
        settling.observe(idle("3/1", "since noon", 5));
        settling.observe(idle("3/1", "since noon", 6));
        settling.suspect(IdRanges.of(6, 8), 0);

        settling.observe(idle("3/1", "since noon", 20));

        assertThat(nextRead(ALL))
                .as("id 6 may have been drawn before the first look")
                .hasToString("{[7,9)}");
        assertThat(settling.needsWriters()).isTrue();
    }

    @Example
    void a_writer_that_was_observed_idle_only_once_is_waited_for() {
        settling.suspect(IdRanges.of(8, 8), 0);

        settling.observe(idle("3/1", "since noon", 5)); // it may have drawn id 8 after the last id was looked up

        assertThat(nextRead(ALL)).isEqualTo(new IdRanges());
    }

    @Example
    void a_writer_that_has_executed_a_statement_meanwhile_is_waited_for() {
        settling.suspect(IdRanges.of(1, 1), 0);
        settling.observe(idle("3/1", "since noon", 5));
        settling.observe(idle("3/1", "since noon", 6));
        settling.suspect(IdRanges.of(8, 8), 0);

        settling.observe(idle("3/1", "since one", 20));
        settling.observe(idle("3/1", "since one", 21));

        assertThat(nextRead(ALL)).isEqualTo(new IdRanges());
    }

    @Example
    void ids_that_wait_for_the_same_writers_share_a_set() {
        for (int id = 1; id < 100_000; id += 2) {
            settling.suspect(IdRanges.of(id, id), id);
            settling.observe(running("3/1"));
        }
        assertThat(settling.sets()).isEqualTo(1);
        assertThat(settling.oldest()).hasValue(1);

        settling.observe(NOBODY);

        assertThat(nextRead(ALL).count()).isEqualTo(50_000);
    }

    @Example
    void ids_that_wait_for_open_transactions_only_are_left_out_once_a_read_has_looked_them_up() {
        settling.suspect(IdRanges.of(5, 6), 0);
        settling.readStarts();
        settling.observe(withIds(Map.of("3/1", 7L)));
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER))
                .as("another transaction may have filled them between the read and the look")
                .isEqualTo(new IdRanges());

        settling.readStarts();
        assertThat(settling.leaveOut(4, LEFT_OUT_AFTER)).isEqualTo(new IdRanges());
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER - 1)).isEqualTo(new IdRanges());
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER)).hasToString("{[5,7)}");

        assertThat(settling.openTransactions()).containsExactly(7L);
        assertThat(settling.observe(withIds(Map.of("3/1", 7L, "3/2", 8L)))).isEqualTo(new IdRanges());
        assertThat(settling.oldest()).hasValue(0);
    }

    @Example
    void only_ids_that_a_read_has_covered_are_left_out() {
        settling.suspect(IdRanges.of(5, 9), 0);
        settling.observe(withIds(Map.of("3/1", 7L)));
        settling.readStarts();

        assertThat(settling.leaveOut(6, LEFT_OUT_AFTER)).hasToString("{[5,7)}");
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER)).hasToString("{[7,10)}");

        assertThat(settling.sets()).isEqualTo(1);
        settling.observe(NOBODY);
        assertThat(nextRead(ALL)).hasToString("{[5,10)}");
    }

    @Example
    void ids_that_are_left_out_are_looked_up_again_when_one_of_their_writers_has_ended() {
        leaveOut(IdRanges.of(5, 6), Map.of("3/1", 7L, "3/2", 8L));

        assertThat(settling.observe(withIds(Map.of("3/2", 8L)))).hasToString("{[5,7)}");

        assertThat(settling.openTransactions()).isEmpty();
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER))
                .as("the one that is gone may have filled them")
                .isEqualTo(new IdRanges());
        settling.readStarts();
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER)).hasToString("{[5,7)}");
        assertThat(settling.openTransactions()).containsExactly(8L);
    }

    @Example
    void after_the_end_of_a_writer_during_a_read_the_next_read_looks_up_its_ids_again() {
        settling.suspect(IdRanges.of(5, 6), 0);
        settling.observe(withIds(Map.of("3/1", 7L, "3/2", 8L)));
        settling.readStarts();
        settling.observe(withIds(Map.of("3/2", 8L)));

        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER)).isEqualTo(new IdRanges());
        settling.readStarts();
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER)).hasToString("{[5,7)}");
    }

    @Example
    void ids_that_were_left_out_are_settled_when_all_their_writers_have_ended() {
        leaveOut(IdRanges.of(5, 6), Map.of("3/1", 7L));

        settling.observe(NOBODY);

        assertThat(nextRead(ALL)).hasToString("{[5,7)}");
        assertThat(settling.needsWriters()).isFalse();
    }

    @Example
    void nothing_is_left_out_for_a_writer_without_a_transaction_id() {
        settling.suspect(IdRanges.of(5, 6), 0);
        settling.observe(running("3/1"));
        settling.readStarts();

        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER)).isEqualTo(new IdRanges());
    }

    @Example
    void after_an_outdated_read_only_ids_that_waited_for_those_that_ended_are_looked_up_again() {
        leaveOut(IdRanges.of(5, 6), Map.of("3/1", 7L));
        leaveOut(IdRanges.of(8, 9), Map.of("3/1", 7L, "3/2", 8L));

        assertThat(settling.ended(Set.of(8L))).hasToString("{[8,10)}");

        assertThat(settling.openTransactions()).containsExactly(7L);
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER))
                .as("the next read looks them up first")
                .isEqualTo(new IdRanges());
        settling.readStarts();
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER)).hasToString("{[8,10)}");
        assertThat(settling.openTransactions()).containsExactly(7L);
        assertThat(settling.sets()).isEqualTo(1);
    }

    @Example
    void a_transaction_with_the_virtual_id_of_another_one_is_not_confused_with_it() {
        leaveOut(IdRanges.of(5, 6), Map.of("3/1", 7L));

        assertThat(settling.observe(withIds(Map.of("3/1", 8L)))).hasToString("{[5,7)}");

        assertThat(nextRead(ALL)).hasToString("{[5,7)}");
    }

    @Example
    void a_transaction_that_gets_its_id_may_be_a_prepared_one_as_well_if_another_has_its_virtual_id() {
        settling.suspect(IdRanges.of(5, 6), 0);
        settling.observe(running("3/1"));

        settling.observe(new Writers(Set.of(Writer.prepared(7), new Writer("3/1", 8))));
        settling.observe(new Writers(Set.of(Writer.prepared(7))));
        assertThat(nextRead(ALL)).isEqualTo(new IdRanges());

        settling.observe(NOBODY);
        assertThat(nextRead(ALL)).hasToString("{[5,7)}");
    }

    @Example
    void a_prepared_transaction_is_recognized_by_its_id_and_others_are_not_waited_for() {
        settling.suspect(IdRanges.of(5, 6), 0);
        settling.observe(withIds(Map.of("3/1", 7L)));
        settling.observe(new Writers(Set.of(Writer.prepared(7), Writer.prepared(9))));
        assertThat(nextRead(ALL)).isEqualTo(new IdRanges());

        settling.observe(new Writers(Set.of(Writer.prepared(9))));

        assertThat(nextRead(ALL)).hasToString("{[5,7)}");
    }

    @Example
    void ids_drawn_after_a_prepare_do_not_wait_for_the_end_of_the_prepared_transaction() {
        Set<Writer> prepared = Set.of(Writer.prepared(7));
        settling.suspect(IdRanges.of(1, 1), 0);
        settling.observe(new Writers(prepared, Map.of(), 5));
        settling.observe(new Writers(prepared, Map.of(), 6));
        settling.suspect(IdRanges.of(6, 8), 0);

        settling.observe(new Writers(prepared, Map.of(), 20));

        assertThat(nextRead(ALL)).hasToString("{[7,9)}");
    }

    private void leaveOut(IdRanges ids, Map<String, Long> writers) {
        settling.suspect(ids, 0);
        settling.observe(withIds(writers));
        settling.readStarts();
        assertThat(settling.leaveOut(ALL, LEFT_OUT_AFTER)).isEqualTo(ids);
    }

    @Example
    void an_id_that_has_appeared_is_not_waited_for() {
        settling.suspect(IdRanges.of(5, 5), 0);
        settling.observe(running("3/1"));

        settling.appeared(5);

        assertThat(settling.needsWriters()).isFalse();
    }

    private static Writers idle(String writer, String since, long lastId) {
        return new Writers(Set.of(Writer.running(writer)), Map.of(Writer.running(writer), since), lastId);
    }

    private static Writers withIds(Map<String, Long> ids) {
        Set<Writer> open = new HashSet<>();
        ids.forEach((virtualId, id) -> open.add(new Writer(virtualId, id)));
        return new Writers(open);
    }

    private IdRanges nextRead(long coveredTo) {
        settling.readStarts();
        return settling.readEnded(coveredTo);
    }

    private static Writers running(String... virtualIds) {
        return new Writers(Stream.of(virtualIds).map(Writer::running).collect(Collectors.toSet()));
    }
}
