package dev.caravan.engine.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.engine.lane.Choices;
import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ProgressTest {
    @Provide
    Arbitrary<List<Integer>> steps() {
        return Choices.lists(0, 300);
    }

    /** The expected progress, as plain sets. */
    private static final class Model {
        private long position;
        private final TreeSet<Long> missing = new TreeSet<>();
        private final TreeSet<Long> inFlight = new TreeSet<>();
        private final TreeSet<Long> delivered = new TreeSet<>();
        private final TreeSet<Long> settled = new TreeSet<>();
    }

    @Property
    void every_id_is_missing_in_flight_delivered_or_settled_and_never_two_of_these(
            @ForAll("steps") List<Integer> steps) {
        Choices choices = new Choices(steps);
        Model model = new Model();
        Progress progress = new Progress(new SavedProgress(0, new IdRanges()));

        while (choices.hasMore()) {
            switch (choices.below(10)) {
                case 0, 1, 2 -> takeNew(progress, model, choices);
                case 3, 4 -> takeFromGap(progress, model, choices);
                case 5, 6, 7 -> deliver(progress, model, choices);
                case 8 -> settle(progress, model, choices);
                default -> progress = crash(progress, model);
            }
            assertSame(progress, model);
        }
    }

    private static void takeNew(Progress progress, Model model, Choices choices) {
        long id = model.position + 1 + choices.below(3);
        IdRanges skipped = new IdRanges();
        for (long between = model.position + 1; between < id; between++) {
            skipped.add(between);
            model.missing.add(between);
        }
        model.position = id;
        model.inFlight.add(id);

        assertThat(progress.take(id)).as("found missing by %s", id).isEqualTo(skipped);
    }

    private static void takeFromGap(Progress progress, Model model, Choices choices) {
        if (!model.missing.isEmpty()) {
            long id = pick(model.missing, choices);
            model.missing.remove(id);
            model.inFlight.add(id);

            assertThat(progress.take(id).isEmpty()).isTrue();
        }
    }

    private static void deliver(Progress progress, Model model, Choices choices) {
        if (!model.inFlight.isEmpty()) {
            long id = pick(model.inFlight, choices);
            model.inFlight.remove(id);
            model.delivered.add(id);

            progress.delivered(id);
        }
    }

    /** Settles a range of ids: only the missing ones may be removed. */
    private static void settle(Progress progress, Model model, Choices choices) {
        long first = 1 + choices.below(30);
        long last = first + choices.below(4);
        for (long id = first; id <= last; id++) {
            if (model.missing.remove(id)) {
                model.settled.add(id);
            }
        }

        progress.settle(IdRanges.of(first, last));
    }

    /** Saves and continues with the saved progress, as another relay would. */
    private static Progress crash(Progress progress, Model model) {
        model.missing.addAll(model.inFlight);
        model.inFlight.clear();

        ProgressToSave saved = progress.toSave();
        return new Progress(
                new SavedProgress(saved.position(), IdRanges.parse(saved.gaps().toMultirange())));
    }

    private static long pick(TreeSet<Long> ids, Choices choices) {
        return List.copyOf(ids).get(choices.below(ids.size()));
    }

    private static void assertSame(Progress progress, Model model) {
        IdRanges missing = new IdRanges();
        model.missing.forEach(missing::add);
        IdRanges gaps = new IdRanges(missing);
        model.inFlight.forEach(gaps::add);

        assertThat(progress.position()).isEqualTo(model.position);
        assertThat(progress.missing()).isEqualTo(missing);
        assertThat(progress.toSave()).isEqualTo(new ProgressToSave(model.position, gaps, null));
        for (long id = 1; id <= model.position; id++) {
            assertThat(gaps.contains(id) || model.delivered.contains(id) || model.settled.contains(id))
                    .as("id %s is accounted for", id)
                    .isTrue();
        }
    }

    @Example
    void progress_to_save_does_not_change_later() {
        Progress progress = new Progress(new SavedProgress(4, IdRanges.of(2, 3)));
        progress.take(5);
        ProgressToSave saved = progress.toSave();

        progress.delivered(5);
        progress.take(8);

        assertThat(saved).hasToString("ProgressToSave[position=5, gaps={[2,4),[5,6)}, olderGaps=null]");
    }

    @Example
    void a_message_that_is_in_flight_or_delivered_is_refused() {
        Progress progress = new Progress(new SavedProgress(0, new IdRanges()));
        progress.take(1);
        progress.take(2);
        progress.delivered(1);

        assertThatThrownBy(() -> progress.take(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> progress.take(2)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> progress.delivered(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> progress.delivered(3)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> progress.delivered(2, 3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Messages 2 to 3 were delivered, but not all of them are in flight");
        progress.delivered(2, 2);
    }
}
