package dev.caravan.camel.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.guard.Send;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultEndpoint;
import org.apache.camel.support.DefaultExchange;
import org.apache.camel.support.DefaultProducer;
import org.junit.jupiter.api.Test;

/** Camel keeps a thousand producers of computed addresses. It stops the others, whether they send or not. */
class PreparingProducerTest {
    private final List<String> log = new ArrayList<>();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);

    @Test
    void a_stopped_producer_ends_what_it_sends_and_sends_what_has_begun() throws Exception {
        try (var camel = new DefaultCamelContext()) {
            camel.start();
            Endpoint receiver = new Receiver(camel);
            Producer producer = new PreparingProducer(
                    receiver,
                    receiver,
                    exchange -> new PreparingProducer.Prepared(Map.of(), "sent", new Send(exchange, "step")));
            producer.start();
            CompletableFuture<Void> first = CompletableFuture.runAsync(() -> send(camel, producer));
            entered.await();

            producer.stop();
            assertThat(log()).containsExactly("start", "begin");
            answered.countDown();
            first.get();
            assertThat(log()).containsExactly("start", "begin", "end", "stop");

            send(camel, producer);
            assertThat(log()).containsExactly("start", "begin", "end", "stop", "start", "begin", "end", "stop");
        }
    }

    private static void send(DefaultCamelContext camel, Producer producer) {
        try {
            producer.process(new DefaultExchange(camel));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized void log(String what) {
        log.add(what);
    }

    private synchronized List<String> log() {
        return List.copyOf(log);
    }

    private final class Receiver extends DefaultEndpoint {
        private Receiver(DefaultCamelContext camel) {
            super("receiver:a", null);
            setCamelContext(camel);
        }

        @Override
        public Producer createProducer() {
            return new DefaultProducer(this) {
                @Override
                public void process(Exchange exchange) throws Exception {
                    log("begin");
                    entered.countDown();
                    answered.await();
                    log("end");
                }

                @Override
                protected void doStart() {
                    log("start");
                }

                @Override
                protected void doStop() {
                    log("stop");
                }
            };
        }

        @Override
        public Consumer createConsumer(Processor processor) {
            throw new UnsupportedOperationException();
        }
    }
}
