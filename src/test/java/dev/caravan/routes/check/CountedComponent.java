package dev.caravan.routes.check;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.support.DefaultComponent;
import org.apache.camel.support.DefaultEndpoint;
import org.apache.camel.support.DefaultProducer;

/** A destination that counts its producers. */
public final class CountedComponent extends DefaultComponent {
    static final AtomicInteger PRODUCERS = new AtomicInteger();

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) {
        return new DefaultEndpoint(uri, this) {
            @Override
            public Producer createProducer() {
                PRODUCERS.incrementAndGet();
                return new DefaultProducer(this) {
                    @Override
                    public void process(org.apache.camel.Exchange exchange) {
                        // sends nothing
                    }
                };
            }

            @Override
            public Consumer createConsumer(Processor route) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
