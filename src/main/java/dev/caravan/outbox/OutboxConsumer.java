package dev.caravan.outbox;

import dev.caravan.clock.Clock;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneState;
import dev.caravan.lane.LaneStats;
import dev.caravan.lane.Suspension;
import dev.caravan.loop.LaneChoice;
import dev.caravan.loop.LaneHolder;
import dev.caravan.loop.LaneTrouble;
import dev.caravan.loop.LaneTurns;
import dev.caravan.loop.ReadPace;
import dev.caravan.loop.WakeUp;
import dev.caravan.loop.WorkedLane;
import dev.caravan.store.LaneConnections;
import dev.caravan.store.LaneId;
import dev.caravan.store.LaneReader;
import dev.caravan.store.Sql;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.SqlConsumer;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.support.AsyncProcessorConverterHelper;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Works one lane: a poll takes the lease if it is free, reads a batch with camel-sql, and acknowledges in camel-sql's
 * {@code onConsume}. Threads of the lane deliver meanwhile, so that a slow message never holds back the next read.
 */
final class OutboxConsumer extends SqlConsumer implements WorkedLane {
    private static final Duration CLAIM_INTERVAL = Duration.ofMillis(200);
    /** How long a lane that is handed over may stand still for a delivery that is on its way. */
    private static final Duration HANDOVER_PATIENCE = Duration.ofSeconds(30);

    private final LaneId id;
    private final LaneChoice choice;
    private final LaneHolder holder;
    private final DeadLetterRoute deadLetters;
    private final LaneReader reader;
    private final LaneStats stats;
    private final Clock clock;
    private final AsyncProcessor route;
    private final AttemptLog attempts;
    private final LaneTrouble trouble;
    private final WakeUp wakeUp;
    private final ReadPace pace;
    /** Held during a poll, so that a stop can wait for it. */
    private final ReentrantLock polling = new ReentrantLock();

    /** Guards {@link #suspended}: a suspension finds the lane of a claim, or the claim finds the suspension. */
    private final Object suspension = new Object();

    private ExecutorService deliverers;
    private volatile boolean stopping;
    private boolean suspended;
    private volatile long turnedAt;
    private boolean leaving;
    private long leavingSince;

    /** @param trouble of the subscription, shared by its lanes */
    static OutboxConsumer create(
            OutboxEndpoint endpoint, LaneId id, Processor route, LaneChoice choice, LaneTrouble trouble) {
        LaneConnections connections = endpoint.connections();
        Clock clock = endpoint.getComponent().clock();
        LaneStats stats = new LaneStats(clock);
        DeadLetterRoute deadLetters = new DeadLetterRoute(endpoint, stats);
        LaneHolder holder = new LaneHolder(
                endpoint.loopSettings(),
                id,
                connections,
                endpoint.getComponent().horizon(),
                stats,
                deadLetters);
        LaneReader reader = new LaneReader(endpoint.getTypes(), id, stats, holder::waiting, clock);
        AsyncProcessor steps = AsyncProcessorConverterHelper.convert(route);
        JdbcTemplate jdbc = new JdbcTemplate(connections);
        return new OutboxConsumer(
                new Parts(endpoint, id, steps, jdbc, holder, deadLetters, reader, stats), choice, trouble);
    }

    private record Parts(
            OutboxEndpoint endpoint,
            LaneId id,
            AsyncProcessor route,
            JdbcTemplate jdbc,
            LaneHolder holder,
            DeadLetterRoute deadLetters,
            LaneReader reader,
            LaneStats stats) {}

    private OutboxConsumer(Parts parts, LaneChoice choice, LaneTrouble trouble) {
        super(parts.endpoint, parts.reader, parts.jdbc, parts.reader.statement().text(), parts.reader, parts.holder);
        this.id = parts.id;
        this.clock = parts.endpoint.getComponent().clock();
        this.turnedAt = clock.nanos();
        this.choice = choice;
        this.holder = parts.holder;
        this.deadLetters = parts.deadLetters;
        this.reader = parts.reader;
        this.stats = parts.stats;
        this.route = parts.route;
        this.attempts = new AttemptLog(id.toString(), clock);
        this.trouble = trouble;
        this.wakeUp = parts.endpoint.getComponent().wakeUp();
        this.pace = new ReadPace(parts.endpoint.loopSettings(), wakeUp);
        setParametersCount(reader.statement().parameters());
        setOnConsume(Sql.ACKNOWLEDGE.text());
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
    public LaneStats stats() {
        return stats;
    }

    @Override
    public LaneTurns turns() {
        return new LaneTurns(
                isStarted(),
                Duration.ofNanos(clock.nanos() - turnedAt),
                getEndpoint().longestPause());
    }

    @Override
    public Optional<LaneState> held() {
        return Optional.ofNullable(holder.lane()).map(Lane::state);
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
            return stopping || !isStarted() ? 0 : work();
        } catch (RuntimeException e) {
            pace.pause(holder.losesHistory(e) ? CLAIM_INTERVAL : trouble.begin(id.number(), e));
            return 0;
        } finally {
            polling.unlock();
        }
    }

    /** One turn of the loop; returns how much there was to do, so that an idle lane is polled less often. */
    private int work() throws Exception {
        if (holder.lane() != null && holder.lane().isClosed()) {
            holder.lose(); // a thread that delivered has given it up
        }
        if (holder.lane() == null && !take()) {
            pace.pause(CLAIM_INTERVAL);
            return 0;
        }
        Lane lane = holder.lane();
        if (holder.leaves() || choice.handsOver(id.number())) {
            leave(lane);
            return 0;
        }
        stay(lane);
        long nap = wakeUp.nap();
        holder.takeRetries();
        if (reader.prepare(lane)) {
            super.poll();
            reader.throwFailure();
            hasRead(lane, nap);
        } else {
            lane.awaitRoom(Duration.ofMillis(getEndpoint().getSaveInterval()));
            holder.acknowledge();
            pace.again();
        }
        trouble.end(id.number());
        return reader.rows();
    }

    private boolean take() {
        if (choice.mayTake(id.number())) {
            return claim();
        }
        trouble.leave(id.number());
        return false;
    }

    private boolean claim() {
        boolean claimed = holder.claim();
        leaving = false; // a lane that was lost while it was to be given back
        if (!claimed) {
            return false;
        }
        if (hasBeenSuspended()) {
            giveBack();
            return false;
        }
        startDeliverers();
        return true;
    }

    /** To be asked after a claim: a suspension that came before had no lane to suspend. */
    private boolean hasBeenSuspended() {
        synchronized (suspension) {
            return suspended;
        }
    }

    /** Nothing of the lane has started. If it is not released its lease ends by itself: a resume meanwhile claims it anew. */
    private void giveBack() {
        try {
            holder.release(Suspension.STOP);
        } finally {
            holder.lose();
        }
    }

    private void startDeliverers() {
        int threads = getEndpoint().isPipelined() ? 1 : getEndpoint().getConcurrency();
        try {
            for (int i = 0; i < threads; i++) {
                deliverers.execute(new Deliverer(
                        holder.lane(), this, route, attempts, getEndpoint().ignoredHeaders()));
            }
        } catch (RuntimeException | Error e) {
            holder.lose(); // with fewer threads, or none, it would be held and not worked
            throw e;
        }
    }

    private void hasRead(Lane lane, long nap) {
        if (reader.rows() > 0) {
            pace.again();
            wakeUp.flowed();
        } else if (lane.isQuiet()) {
            pace.idle(nap);
        } else {
            pace.waiting();
        }
    }

    /** Starts nothing more, and gives the lane back when nothing is on its way: so nothing is repeated and no order is broken. */
    private void leave(Lane lane) throws InterruptedException {
        if (!leaving) {
            leaving = true;
            leavingSince = clock.nanos();
            lane.suspend(Suspension.HANDOVER);
        }
        if (lane.awaitNothingOnItsWay(Duration.ofMillis(getEndpoint().getSaveInterval()))) {
            holder.release(Suspension.HANDOVER, Duration.ZERO);
            leaving = false;
            pace.pause(CLAIM_INTERVAL);
            return;
        }
        pace.pause(Duration.ZERO);
        holder.acknowledge();
        if (!holder.leaves() && clock.nanos() - leavingSince >= HANDOVER_PATIENCE.toNanos()) {
            choice.keep();
        }
    }

    private void stay(Lane lane) {
        if (leaving) {
            leaving = false;
            lane.resume(Suspension.HANDOVER);
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
        resumeLane();
        deliverers =
                getEndpoint().getCamelContext().getExecutorServiceManager().newCachedThreadPool(this, "outbox-" + id);
        deadLetters.start();
        wakeUp.join(pace);
        turnedAt = clock.nanos();
        getEndpoint().getComponent().lanes().join(this);
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
        Lane lane = suspendLane();
        if (lane != null) {
            deliverers.execute(() -> keep(lane));
        }
        super.doSuspend();
    }

    private Lane suspendLane() {
        synchronized (suspension) {
            suspended = true;
            Lane lane = holder.lane();
            if (lane != null) {
                lane.suspend(Suspension.STOP);
            }
            return lane;
        }
    }

    private void resumeLane() {
        synchronized (suspension) {
            suspended = false;
            Lane lane = holder.lane();
            if (lane != null) {
                lane.resume(Suspension.STOP);
            }
        }
    }

    /**
     * No poll renews the lease of a suspended consumer: without this, what takes longer than the lease to arrive would be
     * repeated by the relay that takes over. When the relay stops, the lease is given back as soon as nothing is on its way:
     * Camel looks only once a second whether it can go on stopping, and then waits for the other routes.
     */
    private void keep(Lane lane) {
        Duration interval = Duration.ofMillis(getEndpoint().getSaveInterval());
        try {
            while (!isStarted() && !lane.isClosed() && !lane.awaitNothingOnItsWay(interval)) {
                work(lane, holder::acknowledge);
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
            if (!holder.losesHistory(e)) {
                trouble.begin(id.number(), e);
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
        resumeLane();
    }

    @Override
    protected void doStop() throws Exception {
        stopping = true;
        getEndpoint().getComponent().lanes().leave(this);
        wakeUp.leave(pace);
        doSuspend();
        Lane lane = holder.lane();
        if (lane != null) {
            lane.awaitNothingOnItsWay(
                    Duration.ofMillis(getEndpoint().getComponent().getStopTimeout()));
        }
        polling.lock();
        try {
            holder.release(Suspension.STOP, Duration.ZERO);
        } catch (RuntimeException e) {
            trouble.begin(id.number(), e);
            holder.lose();
        } finally {
            polling.unlock();
        }
        stopDeadLetters();
        getEndpoint().getCamelContext().getExecutorServiceManager().shutdown(deliverers);
        super.doStop();
    }
}
