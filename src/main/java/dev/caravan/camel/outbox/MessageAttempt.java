package dev.caravan.camel.outbox;

import dev.caravan.camel.guard.Fault;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Result;
import dev.caravan.engine.schedule.RunningAttempt;
import java.io.IOException;
import org.apache.camel.Exchange;

/** An attempt to deliver one message. */
final class MessageAttempt extends Attempt {
    private final Envelope envelope;
    private final Delivery delivery;
    private Tracing.Attempt traced = result -> {};

    MessageAttempt(LaneRoute lane, Envelope envelope, Delivery delivery) {
        super(lane);
        this.envelope = envelope;
        this.delivery = delivery;
    }

    @Override
    void fill(Exchange exchange) throws IOException {
        try {
            envelope.fill(exchange, delivery);
        } finally {
            // even if the headers are invalid, which fails the attempt
            traced = lane.tracing().begin(lane.subscription(), delivery, exchange.getMessage());
        }
    }

    @Override
    void running(RunningAttempt attempt) {
        delivery.running(attempt);
    }

    @Override
    void ended(Fault fault) {
        end(result(fault, delivery), fault == null ? null : fault.error());
    }

    @Override
    void failed(Result unknown, Throwable error) {
        end(unknown, error);
    }

    private void end(Result result, Throwable error) {
        endTraces(result); // before another thread may start the next attempt
        boolean tooLate = lane.lane().isClosed();
        recordEnd(() -> lane.lane().finished(delivery, result));
        report(() -> log(result, error, tooLate));
    }

    private void log(Result result, Throwable error, boolean tooLate) {
        if (tooLate) {
            lane.log().endedTooLate(delivery, result, error);
        } else {
            lane.log()
                    .ended(
                            delivery,
                            result,
                            error,
                            lane.lane().destinationIsUnavailable(),
                            lane.lane().refutedSuspicions());
        }
    }

    @Override
    void endTraces(Result result) {
        report(() -> traced.ended(result));
    }

    @Override
    Delivery first() {
        return delivery;
    }
}
