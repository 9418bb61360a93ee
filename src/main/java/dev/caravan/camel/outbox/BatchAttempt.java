package dev.caravan.camel.outbox;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.guard.Fault;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Result;
import dev.caravan.engine.schedule.RunningAttempt;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.camel.Exchange;

/**
 * An attempt to deliver several messages with one exchange. Each message that failed on its own has its own result. If the
 * exchange failed, it is not known for which message, so all are sent again in smaller batches, until the message that fails is
 * alone.
 */
final class BatchAttempt extends Attempt {
    private final Envelope envelope;
    private final List<Delivery> deliveries;
    private MessageBatch batch;
    private List<Tracing.Attempt> traced = List.of();

    BatchAttempt(LaneRoute lane, Envelope envelope, List<Delivery> deliveries) {
        super(lane);
        this.envelope = envelope;
        this.deliveries = deliveries;
    }

    @Override
    void fill(Exchange exchange) throws IOException {
        batch = envelope.batch(exchange, deliveries);
        if (lane.tracing() != Tracing.OFF) {
            traced = new ArrayList<>();
            for (int i = 0; i < deliveries.size(); i++) {
                traced.add(lane.tracing().begin(lane.subscription(), deliveries.get(i), batch.get(i)));
            }
        }
    }

    @Override
    void running(RunningAttempt attempt) {
        deliveries.forEach(delivery -> delivery.running(attempt));
    }

    @Override
    void ended(Fault whole) {
        List<Fault> faults = batch == null ? Collections.nCopies(deliveries.size(), null) : batch.faults();
        if (deliveries.size() == 1) {
            finish(Collections.singletonList(Fault.decisive(faults.get(0), whole)));
        } else if (whole == null || !faults.contains(null)) {
            finish(faults);
        } else {
            failTogether(AttemptResult.of(whole, null, false), whole.error());
        }
    }

    private void finish(List<Fault> faults) {
        List<Result> results = new ArrayList<>(deliveries.size());
        for (int i = 0; i < deliveries.size(); i++) {
            results.add(result(faults.get(i), deliveries.get(i)));
        }
        finish(results, faults);
    }

    private void finish(List<Result> results, List<Fault> faults) {
        for (int i = 0; i < traced.size(); i++) {
            Tracing.Attempt attempt = traced.get(i);
            Result result = results.get(i);
            report(() -> attempt.ended(result));
        }
        boolean tooLate = lane.lane().isClosed();
        recordEnd(() -> lane.lane().finished(deliveries, results));
        report(() -> log(results, faults, tooLate));
    }

    private void log(List<Result> results, List<Fault> faults, boolean tooLate) {
        boolean isUnavailable = lane.lane().destinationIsUnavailable();
        int refuted = lane.lane().refutedSuspicions();
        for (int i = 0; i < results.size(); i++) {
            Throwable error = faults.get(i) == null ? null : faults.get(i).error();
            if (tooLate) {
                lane.log().endedTooLate(deliveries.get(i), results.get(i), error);
            } else {
                lane.log().ended(deliveries.get(i), results.get(i), error, isUnavailable, refuted);
            }
        }
    }

    @Override
    void failed(Result unknown, Throwable error) {
        if (deliveries.size() == 1) {
            finish(List.of(unknown), Collections.singletonList(null));
        } else {
            failTogether(unknown, error);
        }
    }

    private void failTogether(Result result, Throwable error) {
        endTraces(result);
        recordEnd(() -> lane.lane().failedTogether(deliveries, result));
        report(() -> lane.log()
                .batchFailed(deliveries.size(), result, error, lane.lane().destinationIsUnavailable()));
    }

    @Override
    void endTraces(Result result) {
        traced.forEach(attempt -> report(() -> attempt.ended(result)));
    }

    @Override
    Delivery first() {
        return deliveries.get(0);
    }
}
