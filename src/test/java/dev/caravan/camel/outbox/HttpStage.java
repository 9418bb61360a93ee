package dev.caravan.camel.outbox;

import dev.caravan.camel.headers.OutboxConstants;
import java.time.Duration;

/** An outbox, an HTTP destination, and a relay between them with the policy that is shipped. A test need not close them. */
final class HttpStage {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final TestOutbox outbox = TestOutbox.create();
    final HttpGateway gateway = new HttpGateway();
    /** Receives a second subscription of the outbox. */
    final TestDestination other = new TestDestination();

    private TestRelay relay;

    /** @param options of the subscription orders, which the gateway receives */
    void start(String options) throws Exception {
        start(options, PATIENCE);
    }

    /** @param responseTimeout when the relay stops waiting for an answer */
    void start(String options, Duration responseTimeout) throws Exception {
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("outbox:orders?window=1000" + options)
                    .setVariable("position", routes.header(OutboxConstants.POSITION))
                    .removeHeaders("*")
                    .setHeader("position", routes.variable("position"))
                    .to(gateway.uri(responseTimeout));
            routes.from("outbox:other").process(other);
        });
    }

    void stopRelay() throws Exception {
        relay.close();
    }
}
