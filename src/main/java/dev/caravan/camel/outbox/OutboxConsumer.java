package dev.caravan.camel.outbox;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSnapshot;
import dev.caravan.engine.loop.LaneLoop;
import dev.caravan.engine.loop.LoopLiveness;
import dev.caravan.engine.loop.ReadPace;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.engine.loop.SubscriptionParts;
import dev.caravan.engine.store.LaneId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.SqlConsumer;
import org.apache.camel.support.AsyncProcessorConverterHelper;

/**
 * The consumer of one lane: a poll requests the lease, takes messages that {@link TailConsumer} has read, or reads a batch with camel-sql and saves
 * in camel-sql's {@code onConsume}. Other threads deliver at the same time, so that a slow message never delays the next read.
 */
final class OutboxConsumer extends SqlConsumer implements RouteLane {
    private final LaneLoop loop;
    private final LaneId id;
    private final DeadLetterRoute deadLetters;
    private final Clock clock;
    private final AsyncProcessor route;
    private final AttemptLog attempts;
    private final Callable<Integer> read = super::poll;

    private volatile boolean stopping;
    private volatile long lastTurnAt;

    /** @param number the number of the lane */
    static OutboxConsumer of(OutboxEndpoint endpoint, int number, SubscriptionParts shared, Processor route) {
        LaneCounters counters = new LaneCounters(endpoint.getComponent().clock());
        DeadLetterRoute deadLetters = new DeadLetterRoute(endpoint, counters);
        LaneLoop loop = endpoint.loop(number, shared, counters, deadLetters);
        return new OutboxConsumer(endpoint, loop, new SqlPoll(loop), deadLetters, route);
    }

    private OutboxConsumer(
            OutboxEndpoint endpoint, LaneLoop loop, SqlPoll poll, DeadLetterRoute deadLetters, Processor route) {
        super(endpoint, poll, loop.jdbc(), loop.statement().text(), poll, poll);
        this.deadLetters = deadLetters;
        this.loop = loop;
        id = loop.id();
        clock = endpoint.getComponent().clock();
        lastTurnAt = clock.nanos();
        this.route = AsyncProcessorConverterHelper.convert(route);
        attempts = new AttemptLog(id.toString(), clock);
        setParametersCount(
                1); // any number: SqlPoll sets all parameters, and camel-sql need not query how many there are
        setOnConsume(loop.onConsume());
        setBreakBatchOnConsumeFail(true);
    }

    /** Polls on the threads of the relay. */
    void shareThreads() {
        setScheduler(new SharedScheduler(
                loop::onWake, loop::untilTurn, () -> threads().turns()));
        setGreedy(false); // other lanes have their turns in between
    }

    /** Others after a restart of the component. */
    private RelayThreads threads() {
        return getEndpoint().getComponent().threads();
    }

    /** Delivers the messages of a lane through the route until it is closed, on threads that have the name of the lane meanwhile. */
    private void deliver(Lane lane) {
        threads().deliver(lane, threadName(), () -> new Deliverer(lane, this, route, attempts).run());
    }

    private String threadName() {
        return "outbox-" + id;
    }

    @Override
    public OutboxEndpoint getEndpoint() {
        return (OutboxEndpoint) super.getEndpoint();
    }

    @Override
    public String subscription() {
        return id.subscription();
    }

    @Override
    public int number() {
        return id.number();
    }

    @Override
    public int concurrency() {
        return getEndpoint().getLimits().getConcurrency();
    }

    @Override
    public LaneCounters counters() {
        return loop.counters();
    }

    @Override
    public LoopLiveness liveness() {
        return new LoopLiveness(
                isStarted(),
                Duration.ofNanos(clock.nanos() - lastTurnAt),
                ReadPace.longest(getEndpoint().settings())
                        .plusMillis(getEndpoint().getDelay()));
    }

    @Override
    public Optional<LaneSnapshot> snapshot() {
        return Optional.ofNullable(loop.lane()).map(Lane::snapshot);
    }

    @Override
    protected int poll() throws Exception {
        try {
            return turn();
        } finally {
            lastTurnAt = clock.nanos();
        }
    }

    private int turn() throws Exception {
        if (getEndpoint().getCamelContext().isStarting()) {
            return 0; // a route that this one calls may not have started
        }
        if (stopping || !isStarted()) {
            return 0; // the wake-up of a stop ends only the wait that it meets, and Camel waits for a running poll
        }
        loop.lock().lock();
        try {
            // Not after a stop or suspension during the wait for the lock: the turn would claim the released lane
            // again.
            return stopping || !isStarted() ? 0 : loop.turn(read, this::deliver);
        } catch (RuntimeException e) {
            loop.failed(e);
            return 0;
        } finally {
            loop.lock().unlock();
        }
    }

    @Override
    protected void doStart() throws Exception {
        getEndpoint().check(getRoute());
        requireOnlyRoute();
        stopping = false;
        deadLetters.start();
        loop.join();
        lastTurnAt = clock.nanos();
        getEndpoint().getComponent().lanes().add(this);
        getEndpoint().getComponent().startTail();
        super.doStart();
    }

    /** Refuses a second route for the same subscription, because each message would reach only one of the two. */
    private void requireOnlyRoute() {
        boolean taken = getEndpoint().getComponent().lanes().all().stream()
                .anyMatch(other ->
                        other != this && other.subscription().equals(subscription()) && other.number() == number());
        getEndpoint().refuse(taken ? List.of(OutboxEndpoint.READ_BY_ANOTHER) : List.of());
    }

    /** Starts no more messages; attempts in flight continue. Also called before a stop. */
    @Override
    protected void doSuspend() throws Exception {
        loop.suspend().ifPresent(lane -> threads().execute(threadName(), () -> maintain(lane)));
        super.doSuspend();
    }

    /**
     * Saves and renews the lease of a suspended consumer, which does not poll, until no attempt is in flight. Otherwise the
     * relay that takes over would repeat attempts that take longer than the lease. If the relay stops, releases the lease at
     * once, because Camel checks only once a second whether a route has finished, and then waits for the other routes.
     */
    private void maintain(Lane lane) {
        Duration interval = Duration.ofMillis(getEndpoint().getLimits().getSaveInterval());
        try {
            while (!isStarted() && !lane.isClosed() && !lane.awaitAttempts(interval)) {
                runIfOwned(lane, loop::settleAndSave);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (!isStarted() && getEndpoint().getCamelContext().isStopping()) {
            runIfOwned(lane, loop::release);
            stopDeadLetters(); // Camel waits for their exchanges before it stops this consumer
        }
    }

    private void stopDeadLetters() {
        try {
            deadLetters.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void runIfOwned(Lane lane, Runnable task) {
        loop.lock().lock();
        try {
            if (loop.lane() == lane) {
                task.run();
            }
        } catch (RuntimeException e) {
            loop.failed(e);
        } finally {
            loop.lock().unlock();
        }
    }

    @Override
    protected void doResume() throws Exception {
        lastTurnAt = clock.nanos();
        super.doResume();
        loop.wake();
        loop.resume();
    }

    @Override
    protected void doStop() throws Exception {
        stopping = true;
        getEndpoint().getComponent().lanes().remove(this);
        doSuspend();
        boolean interrupted = isInterruptedWhileAttemptsEnd();
        loop.lock().lock();
        try {
            loop.leave(); // not during a turn: from then on the tail does not select the messages of this lane
            loop.stop();
        } finally {
            loop.lock().unlock();
        }
        stopDeadLetters();
        super.doStop();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Camel interrupts a stop that takes longer than its timeout. The lane is saved and released all the same. */
    private boolean isInterruptedWhileAttemptsEnd() {
        Lane lane = loop.lane();
        try {
            if (lane != null) {
                lane.awaitAttempts(getEndpoint().getComponent().stopTimeout());
            }
            return Thread.interrupted();
        } catch (InterruptedException e) {
            return true;
        }
    }
}
