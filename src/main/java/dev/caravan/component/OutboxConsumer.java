package dev.caravan.component;

import dev.caravan.lane.Lane;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.SqlConsumer;
import org.apache.camel.support.AsyncProcessorConverterHelper;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Works one lane: a poll takes the lease if it is free, reads a batch with camel-sql, and acknowledges in camel-sql's
 * {@code onConsume}. Threads of the lane deliver meanwhile, so that a slow message never holds back the next read.
 */
final class OutboxConsumer extends SqlConsumer {
    private static final Duration CLAIM_INTERVAL = Duration.ofMillis(200);

    private final LaneHolder holder;
    private final LaneReader reader;
    private final AsyncProcessor route;
    private final AttemptLog attempts;
    private final Trouble trouble;
    private final WakeUp wakeUp;
    private final Pace pace;
    /** Held during a poll, so that a stop can wait for it. */
    private final ReentrantLock polling = new ReentrantLock();

    private ExecutorService deliverers;
    private volatile boolean stopping;

    static OutboxConsumer create(OutboxEndpoint endpoint, Processor route) {
        JdbcTemplate jdbc = endpoint.jdbc();
        LaneHolder holder = new LaneHolder(endpoint, jdbc, new DeadLetterRoute(endpoint));
        return new OutboxConsumer(endpoint, route, jdbc, holder, new LaneReader(endpoint.getTypes()));
    }

    private OutboxConsumer(
            OutboxEndpoint endpoint, Processor route, JdbcTemplate jdbc, LaneHolder holder, LaneReader reader) {
        super(endpoint, reader, jdbc, "classpath:sql/read.sql", reader, holder);
        this.holder = holder;
        this.reader = reader;
        this.route = AsyncProcessorConverterHelper.convert(route);
        this.attempts = new AttemptLog(endpoint.getName(), System::nanoTime);
        this.trouble = new Trouble(endpoint.getName());
        this.wakeUp = endpoint.getComponent().wakeUp();
        this.pace = Pace.of(endpoint);
        setParametersCount(LaneReader.PARAMETERS);
        setOnConsume(Sql.ACKNOWLEDGE.text());
        setBreakBatchOnConsumeFail(true);
    }

    @Override
    public OutboxEndpoint getEndpoint() {
        return (OutboxEndpoint) super.getEndpoint();
    }

    @Override
    protected int poll() throws Exception {
        pace.await();
        polling.lock();
        try {
            // It may have been stopped or suspended meanwhile: a claim now would take the lane again that it has given
            // back.
            return stopping || !isStarted() ? 0 : work();
        } catch (RuntimeException e) {
            pace.pause(trouble.begin(e));
            return 0;
        } finally {
            polling.unlock();
        }
    }

    /** One turn of the loop; returns how much there was to do, so that an idle lane is polled less often. */
    private int work() throws Exception {
        if (holder.lane() == null && !claim()) {
            pace.pause(CLAIM_INTERVAL);
            return 0;
        }
        Lane lane = holder.lane();
        long nap = wakeUp.nap();
        holder.takeRetries();
        if (reader.prepare(lane)) {
            super.poll();
            hasRead(lane, nap);
        } else {
            lane.awaitRoom(Duration.ofMillis(getEndpoint().getAckInterval()));
            holder.acknowledge();
            pace.again();
        }
        trouble.end();
        return reader.rows();
    }

    private boolean claim() {
        boolean claimed = holder.claim();
        if (claimed && !stopping) {
            int threads = getEndpoint().isPipelined() ? 1 : getEndpoint().getConcurrency();
            for (int i = 0; i < threads; i++) {
                deliverers.execute(new Deliverer(holder.lane(), this, route, attempts));
            }
        }
        return claimed;
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

    @Override
    protected void doStart() throws Exception {
        stopping = false;
        deliverers = getEndpoint()
                .getCamelContext()
                .getExecutorServiceManager()
                .newCachedThreadPool(this, "outbox-" + getEndpoint().getName());
        wakeUp.join(pace);
        super.doStart();
    }

    /** Called before a stop too: what is on its way may arrive, nothing more starts. */
    @Override
    protected void doSuspend() throws Exception {
        pace.wake(); // Camel waits for a poll that has begun
        Lane lane = holder.lane();
        if (lane != null) {
            lane.suspend();
            deliverers.execute(() -> keep(lane));
        }
        super.doSuspend();
    }

    /**
     * No poll renews the lease of a suspended consumer: without this, what takes longer than the lease to arrive would be
     * repeated by the relay that takes over. When the relay stops, the lease is given back as soon as nothing is on its way:
     * Camel looks only once a second whether it can go on stopping, and then waits for the other routes.
     */
    private void keep(Lane lane) {
        Duration interval = Duration.ofMillis(getEndpoint().getAckInterval());
        try {
            while (!isStarted() && !lane.isClosed() && !lane.awaitNothingOnItsWay(interval)) {
                work(lane, holder::acknowledge);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (!isStarted() && getEndpoint().getCamelContext().isStopping()) {
            work(lane, holder::release);
        }
    }

    private void work(Lane lane, Runnable work) {
        polling.lock();
        try {
            if (holder.lane() == lane) {
                work.run();
            }
        } catch (RuntimeException e) {
            trouble.begin(e);
        } finally {
            polling.unlock();
        }
    }

    @Override
    protected void doResume() throws Exception {
        super.doResume();
        pace.wake();
        Lane lane = holder.lane();
        if (lane != null) {
            lane.resume();
        }
    }

    @Override
    protected void doStop() throws Exception {
        stopping = true;
        wakeUp.leave(pace);
        doSuspend();
        Lane lane = holder.lane();
        if (lane != null) {
            lane.awaitNothingOnItsWay(
                    Duration.ofMillis(getEndpoint().getComponent().getStopTimeout()));
        }
        polling.lock();
        try {
            holder.release(Duration.ZERO);
        } catch (RuntimeException e) {
            trouble.begin(e);
            holder.lose();
        } finally {
            polling.unlock();
        }
        getEndpoint().getCamelContext().getExecutorServiceManager().shutdown(deliverers);
        super.doStop();
    }
}
