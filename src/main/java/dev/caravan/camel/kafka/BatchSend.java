package dev.caravan.camel.kafka;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.batch.BatchMessage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;

/**
 * The records of one batch until Kafka has answered all of them. A record that Kafka can never accept makes its message a dead letter;
 * any other error fails the exchange.
 */
final class BatchSend {
    private final Exchange exchange;
    private final MessageBatch batch;
    private final AsyncCallback callback;
    private final ExecutorService threads;
    /** The number of records without an answer, plus one until {@link #allSent} is called. */
    private final AtomicInteger open = new AtomicInteger(1);

    private volatile Exception error;

    BatchSend(Exchange exchange, MessageBatch batch, AsyncCallback callback, ExecutorService threads) {
        this.exchange = exchange;
        this.batch = batch;
        this.callback = callback;
        this.threads = threads;
    }

    void begins() {
        open.incrementAndGet();
    }

    /** @param failure null if Kafka has accepted the record */
    void ended(BatchMessage message, Exception failure) {
        if (failure != null) {
            if (isOfRecord(failure)) {
                batch.dead(message, failure);
            } else {
                failed(failure);
            }
        }
        if (open.decrementAndGet() == 0) { // on Kafka's thread, which must not run the route
            threads.execute(() -> done(false));
        }
    }

    /** Whether Kafka can never accept the record. The exceptions are the same as in the shipped error handling. */
    private static boolean isOfRecord(Exception failure) {
        return failure instanceof RecordTooLargeException
                || failure instanceof RecordBatchTooLargeException
                || failure instanceof SerializationException
                || failure instanceof InvalidRecordException;
    }

    void failed(Exception failure) {
        error = error == null ? failure : error;
    }

    /** Records that the client has all records. Returns whether all are answered already. */
    boolean allSent() {
        if (open.decrementAndGet() > 0) {
            return false;
        }
        done(true);
        return true;
    }

    private void done(boolean isSynchronous) {
        if (error != null) {
            exchange.setException(error);
        }
        callback.done(isSynchronous);
    }
}
