package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.progress.Writers;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Lanes that follow one tail, leave it and join it again, in any order of the steps of relay and writers. */
class TailTest {
    private static final List<String> TYPES = List.of("a", "b", "c");
    private static final long FILE = 7;

    @Provide
    static Arbitrary<List<Integer>> choices() {
        return Choices.lists(50, 1_500);
    }

    @Property
    void each_lane_delivers_each_of_its_messages_once_and_in_order(@ForAll("choices") List<Integer> choices) {
        new World(new Choices(choices)).play();
    }

    @Test
    void a_lane_takes_steps_without_a_message_for_it_as_one() {
        World world = new World(new Choices(List.of()));
        World.Follower all = world.lanes.get(0);
        World.Follower ofC = world.newLane("c");
        List<World.Follower> ofA = List.of(world.newLane("a"), world.newLane("a"));
        world.tail.begin(all.lane, FILE);
        for (World.Follower lane : List.of(ofC, ofA.get(0), ofA.get(1))) {
            assertThat(world.tail.join(lane.lane, FILE)).isTrue();
        }
        for (String type : List.of("b", "b", "c")) {
            world.commitMessage(type);
            world.endRead();
            ofA.forEach(lane -> assertThat(lane.isConcerned()).isFalse());
            assertThat(ofC.isConcerned()).isEqualTo(type.equals("c"));
            if (ofA.get(1).lane.position() == 0) {
                ofA.get(1).takeNext();
            }
        }
        world.commitMessage("a");
        world.endRead();

        for (World.Follower lane : List.of(ofA.get(1), ofA.get(0))) {
            assertThat(lane.takeNext()).isEmpty();
            assertThat(lane.lane.position()).isEqualTo(3);
            assertThat(lane.lane.missing().isEmpty()).isTrue();
            assertThat(lane.takeNext()).extracting(Message::id).containsExactly(4L);
            assertThat(lane.takeNext()).isEmpty();
        }
        assertThat(ofC.takeNext()).isEmpty();
        assertThat(ofC.takeNext()).extracting(Message::id).containsExactly(3L);
    }

    /** After pruning, all visible ids may be lower than the position of the tail. */
    @Test
    void a_lane_that_has_read_all_but_is_below_the_tail_settles_what_is_between() {
        World world = new World(new Choices(List.of()));
        SimulatedOutbox.Transaction ended = world.outbox.begin();
        ended.write(new Key("k", "1"), "a", null);
        ended.write(new Key("k", "1"), "a", null);
        ended.rollBack();
        ended.release();
        World.Follower first = world.lanes.get(0);
        World.Follower below = world.lanes.get(1);
        first.start(new SavedProgress(2, new IdRanges()));
        world.tail.begin(first.lane, FILE);
        for (int part = 0; part < 3; part++) {
            below.step();
        }
        world.commitMessage();

        for (int read = 0; read < 3; read++) {
            world.endRead();
            world.observe();
            world.observe();
            first.step();
            first.step();
            below.step();
            below.step();
        }
        below.deliver();

        assertThat(world.tail.isFollowedBy(below.lane)).isTrue();
        assertThat(below.delivered).extracting(Message::id).containsExactly(3L);
        assertThat(below.lane.toSave().progress().gaps().isEmpty()).isTrue();
    }

    /** Otherwise its messages that wait for another attempt would wait for the next message that is inserted. */
    @Test
    void a_lane_whose_gaps_fill_a_whole_read_learns_from_the_next_one_that_there_are_no_more() {
        int all = Tail.READ_MESSAGES;
        LaneSettings settings = TestLaneSettings.of(changed -> {
            changed.window = 5 * all;
            changed.batchSize = all;
        });
        Lane lane = new Lane(
                new LaneStart(
                        1, Long.MAX_VALUE / 2, new SavedProgress(all + 1, IdRanges.of(1, all)), 0, ProvenSession.NONE),
                settings,
                new LaneCounters(() -> 0),
                () -> 0,
                () -> ProvenSession.NONE,
                RateShare.UNLIMITED);
        Tail tail = new Tail(() -> 0);
        tail.selectionChanged();
        tail.begin(lane, FILE);
        List<Message> messages = LongStream.rangeClosed(1, all)
                .mapToObj(id -> new Message(id, new UUID(0, id), new Key("k", "" + id), "a", null, "{}", Instant.EPOCH))
                .toList();

        for (List<Message> found : List.of(messages, List.<Message>of())) {
            tail.received(new Batch(tail.nextRead(), found, found.size(), Set.of()), new long[0]);
            for (Tail.Part part = tail.next(lane, new Selection(settings, 0));
                    part != null;
                    part = tail.next(lane, new Selection(settings, 0))) {
                part.take(Set.of());
            }
        }

        lane.surveyed(new RetrySurvey(true, true, all + 2));
        assertThat(lane.dueLimit()).isPositive();
    }

    /** The lane with which the tail begins may have taken what was committed after that read. */
    @Test
    void a_lane_does_not_join_after_a_read_that_began_before_the_tail() {
        World world = new World(new Choices(List.of()));
        World.Follower first = world.lanes.get(0);
        World.Follower earlier = world.lanes.get(1);
        earlier.ownRead = earlier.lane.nextRead();
        earlier.since = world.tail.ended();
        earlier.step();
        world.commitMessage();
        first.start(new SavedProgress(1, new IdRanges()));
        world.tail.begin(first.lane, FILE);
        world.tailStep();
        earlier.step();
        world.commitMessage();

        for (int read = 0; read < 3; read++) {
            world.endRead();
            for (int part = 0; part < 3; part++) {
                first.step();
                earlier.step();
                earlier.deliver();
            }
        }

        assertThat(earlier.delivered).extracting(Message::id).containsExactly(1L, 2L);
    }

    private static final class World {
        private final Choices choices;
        private final SimulatedOutbox outbox = new SimulatedOutbox();
        private final List<SimulatedOutbox.Transaction> open = new ArrayList<>();
        private final List<Message> committed = new ArrayList<>();
        private long now = 1;
        private final Tail tail;
        private final List<Follower> lanes = new ArrayList<>();
        /** The read of the tail, and its result, while its steps are not all done. */
        private Read read;

        private Batch batch;
        private Writers writers;

        World(Choices choices) {
            this.choices = choices;
            tail = new Tail(() -> now, choices.below(2) == 0 ? 100 : 12, 3);
            lanes.add(new Follower("*", Order.key, 200));
            lanes.add(new Follower("a", Order.none, 4));
            lanes.add(new Follower("a,c", Order.strict, 10));
            lanes.add(new Follower("b", Order.key, 20));
        }

        void play() {
            tail.selectionChanged();
            while (choices.hasMore()) {
                step();
            }
            List.copyOf(open).forEach(this::commit);
            open.forEach(SimulatedOutbox.Transaction::release);
            open.clear();
            for (int n = 0; n < 300; n++) {
                now += Duration.ofMillis(100).toNanos();
                endRead();
                observe();
                observe();
                lanes.forEach(Follower::step);
                lanes.forEach(Follower::deliver);
            }
            lanes.forEach(lane -> lane.check(committed));
        }

        private void step() {
            now += 1_000_000L * (choices.below(10) == 0 ? 1_500 : choices.below(50));
            switch (choices.below(14)) {
                case 0, 1 -> write();
                case 2 -> end();
                case 3, 4, 5 -> tailStep();
                case 6 -> observe();
                case 7, 8, 9 -> lane().step();
                case 10 -> lane().deliver();
                case 11, 12 -> tail.leave(lane().lane);
                default -> disturb();
            }
        }

        private Follower lane() {
            return lanes.get(choices.below(lanes.size()));
        }

        private void write() {
            if (open.size() < 3) {
                open.add(outbox.begin());
            }
            open.get(choices.below(open.size()))
                    .write(new Key("k", "" + choices.below(3)), TYPES.get(choices.below(3)), null);
        }

        private void end() {
            if (open.isEmpty()) {
                return;
            }
            SimulatedOutbox.Transaction transaction = open.get(choices.below(open.size()));
            switch (choices.below(4)) {
                case 0 -> transaction.rollBack();
                case 1, 2 -> commit(transaction);
                default -> {
                    transaction.release();
                    if (!outbox.transactions().contains(transaction)) {
                        open.remove(transaction);
                    }
                }
            }
        }

        private Follower newLane(String types) {
            return new Follower(types, Order.key, 20);
        }

        private void commitMessage() {
            commitMessage("a");
        }

        private void commitMessage(String type) {
            SimulatedOutbox.Transaction transaction = outbox.begin();
            transaction.write(new Key("k", "1"), type, null);
            commit(transaction);
            transaction.release();
        }

        private void commit(SimulatedOutbox.Transaction transaction) {
            Set<Long> before = Set.copyOf(outbox.visible().keySet());
            transaction.commit();
            outbox.visible().values().stream()
                    .filter(message -> !before.contains(message.id()))
                    .forEach(committed::add);
        }

        private void tailStep() {
            if (read == null) {
                read = tail.nextRead();
            } else if (batch == null) {
                batch = outbox.read(read);
            } else {
                tail.received(batch, new long[0]);
                read = null;
                batch = null;
            }
        }

        private void endRead() {
            do {
                tailStep();
            } while (read != null);
        }

        private void observe() {
            if (writers != null) {
                if (read == null) { // writers are looked up after a read
                    tail.observed(writers);
                }
                writers = null;
            } else if (read == null && tail.needsWriters()) {
                writers = outbox.writers();
            }
            lanes.forEach(Follower::observe);
        }

        private void disturb() {
            switch (choices.below(3)) {
                case 0 -> {
                    tail.reset();
                    read = null;
                    batch = null;
                    writers = null;
                }
                default -> lane().restart();
            }
        }

        private final class Follower {
            private final LaneSettings settings;
            private final Set<String> types;
            private final Selection selection;
            private final List<Message> delivered = new ArrayList<>();
            private IdRanges older = new IdRanges();
            private Lane lane;
            private long since;
            private Read ownRead;
            private Batch ownBatch;
            private Tail.Part part;

            Follower(String types, Order order, int window) {
                settings = TestLaneSettings.of(changed -> {
                    changed.types = types;
                    changed.order = order;
                    changed.window = window;
                    changed.batchSize = Math.min(100, (window + 1) / 2);
                });
                this.types = Set.of(types.split(","));
                selection = new Selection(settings, 0);
                start(new SavedProgress(0, new IdRanges()));
            }

            private void start(SavedProgress progress) {
                lane = new Lane(
                        new LaneStart(1, Long.MAX_VALUE / 2, progress, 0, ProvenSession.NONE),
                        settings,
                        new LaneCounters(() -> 0),
                        () -> now,
                        () -> ProvenSession.NONE,
                        RateShare.UNLIMITED);
                lane.surveyed(RetrySurvey.NOTHING_WAITS);
            }

            /** The steps of a turn are separate: anything may happen between the parts of a read. */
            void step() {
                if (part != null) {
                    part.take(Set.of());
                    part = null;
                } else if (ownRead != null && ownBatch == null) {
                    ownBatch = selected(outbox.read(ownRead));
                } else if (ownRead != null) {
                    lane.received(ownBatch, Set.of());
                    if (ownBatch.isAll()) {
                        tail.join(lane, FILE, since);
                    }
                    ownRead = null;
                    ownBatch = null;
                } else if (!follows()) {
                    startRead();
                } else {
                    boolean mayWait = choices.hasMore() && choices.below(2) == 0 && !isConcerned();
                    part = mayWait ? null : tail.next(lane, selection);
                }
            }

            private boolean isConcerned() {
                return tail.concerns(lane, selection);
            }

            /** Takes the next messages of the tail; returns them. */
            private List<Message> takeNext() {
                Tail.Part next = tail.next(lane, selection);
                if (next == null) {
                    return List.of();
                }
                next.take(Set.of());
                return next.messages();
            }

            private void startRead() {
                since = tail.ended();
                ownRead = lane.nextRead();
            }

            private boolean follows() {
                if (lane.mayFollow() && tail.isFollowedBy(lane)) {
                    return true;
                }
                tail.leave(lane);
                if (!lane.mayFollow()) {
                    return false;
                }
                if (!tail.isFollowed()) {
                    tail.begin(lane, FILE);
                    return true;
                }
                return choices.below(2) == 0 && tail.join(lane, FILE);
            }

            void observe() {
                if (ownRead == null && lane.needsWriters()) {
                    lane.observed(outbox.writers());
                }
            }

            void deliver() {
                for (Delivery next = lane.nextNow(); next != null; next = lane.nextNow()) {
                    delivered.add(next.message());
                    lane.finished(next, Result.DELIVERED);
                }
            }

            /** Another relay claims the lane after a save of this one. */
            void restart() {
                deliver();
                ProgressToSave save = lane.toSave().progress();
                older = save.olderGaps() == null ? older : save.olderGaps();
                IdRanges gaps = new IdRanges(save.gaps());
                gaps.addAll(older);
                older = new IdRanges();
                lane.close();
                tail.leave(lane);
                ownRead = null;
                ownBatch = null;
                part = null;
                start(new SavedProgress(save.position(), gaps));
            }

            private Batch selected(Batch all) {
                List<Message> rows = all.messages().stream()
                        .map(message -> isSelected(message) ? message : Message.notSelected(message.id()))
                        .toList();
                return new Batch(all.read(), rows, all.candidates(), all.ended());
            }

            private boolean isSelected(Message message) {
                return types.contains("*") || types.contains(message.type());
            }

            void check(List<Message> committed) {
                assertThat(lane.missing().isEmpty())
                        .as("no id is missing for %s", types)
                        .isTrue();
                assertThat(delivered.stream().map(Message::id))
                        .as("messages of %s, in any order", types)
                        .containsExactlyInAnyOrderElementsOf(committed.stream()
                                .filter(this::isSelected)
                                .map(Message::id)
                                .toList());
                if (settings.order() != Order.none) {
                    Map<Key, Long> last = new HashMap<>();
                    for (Message message : delivered) {
                        assertThat(last.getOrDefault(message.key(), 0L))
                                .as("order of %s", message.key())
                                .isLessThan(message.id());
                        last.put(message.key(), message.id());
                    }
                }
            }
        }
    }
}
