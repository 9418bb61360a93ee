package dev.caravan.camel.outbox;

import dev.caravan.engine.loop.TailLoop;
import java.util.concurrent.Callable;
import org.apache.camel.component.sql.SqlConsumer;

/**
 * The consumer that polls the outbox for all lanes of a relay: a poll reads what is new with camel-sql and saves the progress of all lanes in
 * camel-sql's {@code onConsume}. It belongs to no route; the lanes give the messages to their routes.
 */
final class TailConsumer extends SqlConsumer {
    private final TailLoop loop;
    private final Callable<Integer> read = super::poll;
    private volatile boolean stopping;

    static TailConsumer of(OutboxEndpoint endpoint, TailLoop loop) {
        return new TailConsumer(endpoint, loop, new SqlPoll(loop));
    }

    private TailConsumer(OutboxEndpoint endpoint, TailLoop loop, SqlPoll poll) {
        super(endpoint, poll, loop.jdbc(), loop.statement().text(), poll, poll);
        this.loop = loop;
        setParametersCount(1); // any number: SqlPoll sets all parameters
        setOnConsume(loop.onConsume());
        setBreakBatchOnConsumeFail(true);
    }

    @Override
    protected int poll() throws Exception {
        if (stopping) {
            return 0;
        }
        loop.await();
        try {
            return stopping ? 0 : loop.turn(read);
        } catch (RuntimeException e) {
            loop.failed(e);
            return 0;
        }
    }

    @Override
    protected void doStart() throws Exception {
        stopping = false;
        loop.start();
        super.doStart();
    }

    @Override
    protected void doStop() throws Exception {
        stopping = true;
        loop.stop();
        loop.wake(); // Camel waits for a running poll
        super.doStop();
    }
}
