package dev.caravan.adopt.intake;

import java.time.Duration;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.SqlConsumer;
import org.springframework.jdbc.core.JdbcTemplate;

/** The consumer of an intake: a poll is one round of its loop. */
final class IntakeConsumer extends SqlConsumer {
    /** How long a stop waits for a round. */
    private static final Duration LONGEST_ROUND = Duration.ofSeconds(3);

    private final IntakeLoop loop;

    IntakeConsumer(IntakeEndpoint endpoint, IntakeLoop loop, Processor route) {
        super(endpoint, route, new JdbcTemplate(loop.connection()), "the pending rows", endpoint, endpoint);
        this.loop = loop;
        setParametersCount(1); // the endpoint sets the fetch size in place of parameters
        setUseIterator(false);
        setOnConsume(loop.intake().mark().orElse("delete"));
        setBreakBatchOnConsumeFail(true);
    }

    IntakeLoop loop() {
        return loop;
    }

    @Override
    protected int poll() {
        return loop.turn(super::poll) ? 1 : 0;
    }

    @Override
    protected void doStart() throws Exception {
        loop.start();
        super.doStart();
    }

    @Override
    protected void doSuspend() throws Exception {
        end();
        super.doSuspend();
    }

    @Override
    protected void doResume() throws Exception {
        loop.start();
        super.doResume();
    }

    @Override
    protected void doStop() throws Exception {
        end();
        super.doStop();
    }

    private void end() {
        loop.stop();
        loop.release(LONGEST_ROUND);
    }
}
