package dev.caravan.engine.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.lane.Choices;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class IdRangesTest {
    private static final int HIGHEST = 40;

    @Provide
    Arbitrary<List<Integer>> changes() {
        return Choices.lists(0, 120);
    }

    @Property
    void any_sequence_of_changes_gives_the_same_ids_as_a_plain_set(@ForAll("changes") List<Integer> changes) {
        Choices choices = new Choices(changes);
        IdRanges ranges = new IdRanges();
        TreeSet<Long> ids = new TreeSet<>();

        while (choices.hasMore()) {
            long id = choices.below(HIGHEST);
            long last = id + choices.below(6) - 1;
            switch (choices.below(6)) {
                case 0 -> {
                    ranges.add(id);
                    ids.add(id);
                }
                case 1 -> {
                    ranges.add(id, last);
                    LongStream.rangeClosed(id, last).forEach(ids::add);
                }
                case 2 -> assertThat(ranges.remove(id)).isEqualTo(ids.remove(id));
                case 3 -> {
                    List<Long> removed =
                            LongStream.rangeClosed(id, last).boxed().toList();
                    boolean isComplete = ids.containsAll(removed);
                    if (!removed.isEmpty()) {
                        assertThat(ranges.remove(id, last)).isEqualTo(isComplete);
                    }
                    if (isComplete) {
                        removed.forEach(ids::remove);
                    }
                }
                case 4 -> {
                    ranges.addAll(everyThird(id));
                    ids.addAll(List.of(id, id + 3, id + 4));
                }
                default -> {
                    ranges.removeAll(everyThird(id));
                    List.of(id, id + 3, id + 4).forEach(ids::remove);
                }
            }
            assertSame(ranges, ids);
        }
    }

    /** Two ranges with a hole, so that adding and removing them meets more than one range. */
    private static IdRanges everyThird(long id) {
        IdRanges ranges = IdRanges.of(id, id);
        ranges.add(id + 3, id + 4);
        return ranges;
    }

    private static void assertSame(IdRanges ranges, TreeSet<Long> ids) {
        for (long id = -1; id <= HIGHEST + 6; id++) {
            assertThat(ranges.contains(id)).as("contains %s", id).isEqualTo(ids.contains(id));
        }
        assertThat(ranges.count()).isEqualTo(ids.size());
        assertThat(ranges.isEmpty()).isEqualTo(ids.isEmpty());
        assertThat(ranges.lowest()).isEqualTo(ids.isEmpty() ? Long.MAX_VALUE : ids.first());
        assertThat(ranges.toMultirange()).isEqualTo(multirangeOf(ids));
        assertThat(IdRanges.parse(ranges.toMultirange())).isEqualTo(ranges).hasSameHashCodeAs(ranges);
        long limit = HIGHEST / 2;
        assertThat(ranges.upTo(limit).toMultirange()).isEqualTo(multirangeOf(new TreeSet<>(ids.headSet(limit, true))));
    }

    /** The canonical text: ranges neither touch nor overlap, the upper bound is not part of them. */
    private static String multirangeOf(TreeSet<Long> ids) {
        StringBuilder text = new StringBuilder();
        for (long id : ids) {
            if (!ids.contains(id - 1)) {
                text.append(text.isEmpty() ? "" : ",").append('[').append(id);
            }
            if (!ids.contains(id + 1)) {
                text.append(',').append(id + 1).append(')');
            }
        }
        return "{" + text + "}";
    }

    @Example
    void a_copy_does_not_change_with_its_original() {
        IdRanges original = IdRanges.of(1, 9);
        IdRanges copy = new IdRanges(original);
        IdRanges part = original.upTo(5);

        original.remove(3);

        assertThat(copy).hasToString("{[1,10)}");
        assertThat(part).hasToString("{[1,6)}");
    }

    @Example
    void sets_are_equal_if_all_their_ids_are() {
        assertThat(IdRanges.of(1, 5)).isEqualTo(IdRanges.of(1, 5)).isNotEqualTo(IdRanges.of(1, 6));
    }
}
