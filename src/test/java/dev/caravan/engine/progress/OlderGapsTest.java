package dev.caravan.engine.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.lane.Choices;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

class OlderGapsTest {
    private final OlderGaps older = new OlderGaps();

    @Provide
    Arbitrary<List<Integer>> steps() {
        return Choices.lists(0, 100);
    }

    @Property
    void two_columns_together_hold_all_gaps_whatever_the_outcome_of_a_save(@ForAll("steps") List<Integer> steps) {
        Choices choices = new Choices(steps);
        OlderGaps watched = new OlderGaps();
        IdRanges expected = new IdRanges();
        IdRanges column = new IdRanges();
        while (choices.hasMore()) {
            long first = 1 + choices.below(60);
            IdRanges ids = IdRanges.of(first, first + choices.below(4));
            switch (choices.below(4)) {
                case 0 -> {
                    watched.add(ids);
                    expected.addAll(ids);
                }
                case 1 -> {
                    ids.removeAll(complement(expected, ids));
                    watched.remove(ids);
                    expected.removeAll(ids);
                }
                case 2 -> { // it is not answered: it may be in the table or not
                    IdRanges written = watched.toSave();
                    if (written != null) {
                        column = choices.below(2) == 0 ? written : column;
                        watched.saveFailed();
                    }
                }
                default -> {
                    IdRanges written = watched.toSave();
                    column = written == null ? column : written;
                    IdRanges saved = new IdRanges(column);
                    saved.addAll(watched.newer());
                    assertThat(saved).isEqualTo(expected);
                }
            }
            assertThat(watched.all()).isEqualTo(expected);
        }
    }

    private static IdRanges complement(IdRanges all, IdRanges ids) {
        IdRanges others = new IdRanges(ids);
        others.removeAll(all);
        return others;
    }

    @Tag("long")
    @Example
    void the_volume_of_saves_in_an_hour_does_not_grow_with_the_number_of_waiting_ids() {
        long written = 0;
        long all = 0;
        for (int id = 1; id <= 180_000; id += 2) {
            older.add(IdRanges.of(id, id));
            if (id % 50 == 1) { // one save a second
                IdRanges column = older.toSave();
                written += older.newer().size() + (column == null ? 0 : column.size());
                all += older.all().size();
            }
        }

        assertThat(older.all().size()).isEqualTo(90_000);
        assertThat(written).isLessThan(all / 20);
    }

    @Example
    void a_save_without_a_change_does_not_write_the_older_gaps() {
        older.add(IdRanges.of(1, 5));
        assertThat(older.toSave()).isEqualTo(IdRanges.of(1, 5));

        assertThat(older.toSave()).isNull();
        assertThat(older.newer()).isEqualTo(new IdRanges());
    }
}
