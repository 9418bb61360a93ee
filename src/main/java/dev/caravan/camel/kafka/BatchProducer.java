package dev.caravan.camel.kafka;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.batch.BatchMessage;
import dev.caravan.camel.headers.AnswerCharset;
import java.util.Iterator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.kafka.KafkaConfiguration;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.kafka.KafkaProducer;
import org.apache.camel.util.KeyValueHolder;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;

/**
 * Sends records with the same result as Camel's producer, but faster: Camel's header maps, filters and callbacks for each record take
 * longer than the rest of the work. Camel's producer sends everything that is not a batch, with the records of {@link RecordFactory}.
 */
final class BatchProducer extends KafkaProducer {
    private final KafkaConfiguration options;
    private RecordFactory records;

    BatchProducer(KafkaEndpoint endpoint) {
        super(endpoint);
        options = endpoint.getConfiguration();
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        records = new RecordFactory(getEndpoint());
    }

    @Override
    protected ProducerRecord<Object, Object> createRecord(Exchange exchange, Message message) {
        return records.valid(records.record(exchange, message));
    }

    @Override
    protected Iterator<KeyValueHolder<Object, ProducerRecord<Object, Object>>> createRecordIterable(
            Exchange exchange, Message list) {
        return records.records(exchange, list);
    }

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        boolean isBatch = exchange.getMessage().getBody() instanceof MessageBatch && options.isUseIterator();
        if (!isBatch) {
            AnswerCharset.forget(exchange);
            return super.process(exchange, doneSync -> {
                exchange.setException(records.reason(exchange.getException(), exchange));
                callback.done(doneSync);
            });
        }
        MessageBatch batch = exchange.getMessage().getBody(MessageBatch.class);
        BatchSend send = new BatchSend(exchange, batch, callback, getWorkerPool());
        try {
            send(exchange, batch, send);
        } catch (RuntimeException e) {
            send.failed(e);
        }
        return send.allSent();
    }

    @SuppressWarnings("unchecked")
    private void send(Exchange exchange, MessageBatch batch, BatchSend send) {
        Producer<Object, Object> client = getKafkaProducer();
        String topic = records.topic(exchange);
        for (BatchMessage message : batch.messages()) {
            if (message.getBody() == null && message.hasEmptyAnswer()) {
                batch.failed(message, RecordFactory.NO_BODY);
                continue;
            }
            send.begins();
            try {
                client.send(records.ofBatch(exchange, message, topic), (metadata, error) -> send.ended(message, error));
            } catch (SerializationException | FieldException e) {
                send.ended(message, e);
            } catch (RuntimeException e) {
                send.ended(message, e);
                return; // the client is closed or cannot reach the cluster, or a header of the route is wrong
            }
        }
    }

    /**
     * The records of one batch until Kafka has answered all of them. A record that Kafka can never accept makes its message a dead letter;
     * any other error fails the exchange.
     */
    private final class BatchSend {
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
        private boolean isOfRecord(Exception failure) {
            return failure instanceof RecordTooLargeException
                    || failure instanceof RecordBatchTooLargeException
                    || failure instanceof SerializationException
                    || failure instanceof InvalidRecordException
                    || failure instanceof InvalidTimestampException
                    || failure instanceof FieldException;
        }

        void failed(Exception failure) {
            error = error == null ? records.reason(failure, exchange) : error;
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
            } else {
                records.sent(exchange, batch);
            }
            callback.done(isSynchronous);
        }
    }
}
