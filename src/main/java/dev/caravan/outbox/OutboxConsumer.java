package dev.caravan.outbox;

import dev.caravan.clock.Clock;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneCounters;
import dev.caravan.lane.LaneSnapshot;
import dev.caravan.lane.Suspension;
import dev.caravan.loop.LaneFailures;
import dev.caravan.loop.LaneHolder;
import dev.caravan.loop.LoopLiveness;
import dev.caravan.loop.ReadPace;
import dev.caravan.loop.RouteLane;
import dev.caravan.loop.RouteSuspension;
import dev.caravan.loop.WakeUp;
import dev.caravan.store.LaneId;
import dev.caravan.store.Sql;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.SqlConsumer;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.support.AsyncProcessorConverterHelper;

/**
 * Works one lane: a poll takes the lease if it is free, reads a batch with camel-sql, and acknowledges in camel-sql's
 * {@code onConsume}. Threads of the lane deliver meanwhile, so that a slow message never holds back the next read.
 */
final class OutboxConsumer extends SqlConsumer implements RouteLane {
    private final LaneId id;
    private final LaneHolder holder;
    private final DeadLetterRoute deadLetters;
    private final LaneCounters counters;
    private final Clock clock;
    private final LaneFailures failures;
    private final WakeUp wakeUp;
    private final ReadPace pace;
    private final RouteSuspension suspension;
    private final Deliverers deliverers;
    private final LaneLoop loop;
    private final Callable<Integer> read = super::poll;
    /** Held during a poll, so that a stop can wait for it. */
    private final ReentrantLock polling = new ReentrantLock();

    private volatile boolean stopping;
    private volatile long turnedAt;

    OutboxConsumer(LaneParts parts, Processor route) {
        super(
                parts.endpoint(),
                parts.reader(),
                parts.jdbc(),
                parts.reader().statement().text(),
                parts.reader(),
                parts.holder());
        id = parts.id();
        clock = parts.settings().clock();
        turnedAt = clock.nanos();
        holder = parts.holder();
        deadLetters = parts.deadLetters();
        counters = parts.counters();
        failures = parts.failures();
        wakeUp = parts.endpoint().getComponent().wakeUp();
        pace = parts.pace();
        suspension = new RouteSuspension(holder);
        deliverers = new Deliverers(
                this, AsyncProcessorConverterHelper.convert(route), new AttemptLog(id.toString(), clock));
        loop = new LaneLoop(parts, suspension, deliverers);
        setParametersCount(parts.reader().statement().parameters());
        setOnConsume(Sql.SAVE_PROGRESS.text());
        setBreakBatchOnConsumeFail(true);
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
    public LaneCounters counters() {
        return counters;
    }

    @Override
    public LoopLiveness liveness() {
        return new LoopLiveness(
                isStarted(), Duration.ofNanos(clock.nanos() - turnedAt), EndpointSettings.longestPause(getEndpoint()));
    }

    @Override
    public Optional<LaneSnapshot> snapshot() {
        return Optional.ofNullable(holder.lane()).map(Lane::snapshot);
    }

    @Override
    protected int poll() throws Exception {
        try {
            return turn();
        } finally {
            turnedAt = clock.nanos();
        }
    }

    private int turn() throws Exception {
        pace.await();
        polling.lock();
        try {
            // It may have been stopped or suspended meanwhile: a claim now would take the lane again that it has given
            // back.
            return stopping || !isStarted() ? 0 : loop.turn(read);
        } catch (RuntimeException e) {
            loop.failed(e);
            return 0;
        } finally {
            polling.unlock();
        }
    }

    private void refuse(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(
                    "outbox:" + getEndpoint().getName() + ": " + String.join("; ", problems));
        }
    }

    @Override
    protected void doStart() throws Exception {
        // A route that is started again has given its definition up; it was looked at when it was started first.
        if (getRoute() != null && getRoute().getRoute() instanceof RouteDefinition definition) {
            refuse(getEndpoint().problems(definition));
        }
        requireOnlyRoute();
        stopping = false;
        suspension.end();
        deliverers.open("outbox-" + id);
        deadLetters.start();
        wakeUp.join(pace);
        turnedAt = clock.nanos();
        getEndpoint().getComponent().lanes().add(this);
        super.doStart();
    }

    /** Each message would go to one of the two routes only. */
    private void requireOnlyRoute() {
        boolean taken = getEndpoint().getComponent().lanes().all().stream()
                .anyMatch(other ->
                        other != this && other.subscription().equals(subscription()) && other.number() == number());
        if (taken) {
            throw new IllegalArgumentException(
                    "outbox:" + subscription()
                            + ": another route of this relay reads this subscription: each route needs a name of its own after outbox:");
        }
    }

    /** Called before a stop too: what is on its way may arrive, nothing more starts. */
    @Override
    protected void doSuspend() throws Exception {
        pace.wake(); // Camel waits for a poll that has begun
        suspension.begin().ifPresent(lane -> deliverers.execute(() -> keep(lane)));
        super.doSuspend();
    }

    /**
     * No poll renews the lease of a suspended consumer: without this, what takes longer than the lease to arrive would be
     * repeated by the relay that takes over. When the relay stops, the lease is given back as soon as nothing is on its way:
     * Camel looks only once a second whether it can go on stopping, and then waits for the other routes.
     */
    private void keep(Lane lane) {
        Duration interval = Duration.ofMillis(getEndpoint().getSaveInterval());
        try {
            while (!isStarted() && !lane.isClosed() && !lane.awaitAttempts(interval)) {
                work(lane, holder::settleAndSave);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (!isStarted() && getEndpoint().getCamelContext().isStopping()) {
            work(lane, () -> holder.release(Suspension.STOP));
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

    private void work(Lane lane, Runnable work) {
        polling.lock();
        try {
            if (holder.lane() == lane) {
                work.run();
            }
        } catch (RuntimeException e) {
            if (!holder.dropIfOtherHistory(e)) {
                failures.begin(id.number(), e);
            }
        } finally {
            polling.unlock();
        }
    }

    @Override
    protected void doResume() throws Exception {
        turnedAt = clock.nanos();
        super.doResume();
        pace.wake();
        suspension.end();
    }

    @Override
    protected void doStop() throws Exception {
        stopping = true;
        getEndpoint().getComponent().lanes().remove(this);
        wakeUp.leave(pace);
        doSuspend();
        Lane lane = holder.lane();
        if (lane != null) {
            lane.awaitAttempts(Duration.ofMillis(getEndpoint().getComponent().getStopTimeout()));
        }
        polling.lock();
        try {
            holder.release(Suspension.STOP, Duration.ZERO);
        } catch (RuntimeException e) {
            failures.begin(id.number(), e);
            holder.drop();
        } finally {
            polling.unlock();
        }
        stopDeadLetters();
        deliverers.close();
        super.doStop();
    }
}
