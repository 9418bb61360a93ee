package dev.caravan.relay;

import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.support.DefaultComponent;
import org.apache.camel.support.DefaultEndpoint;
import org.apache.camel.support.DefaultProducer;

/** A destination whose start fails while there is a problem, and which accepts everything. */
final class UnavailableComponent extends DefaultComponent {
    private final AtomicReference<Exception> problem;

    UnavailableComponent(AtomicReference<Exception> problem) {
        this.problem = problem;
    }

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) {
        return new DefaultEndpoint(uri, this) {
            @Override
            public Producer createProducer() {
                return new DefaultProducer(this) {
                    @Override
                    protected void doStart() throws Exception {
                        if (problem.get() != null) {
                            throw problem.get();
                        }
                        super.doStart();
                    }

                    @Override
                    public void process(Exchange exchange) {
                        // accepted
                    }
                };
            }

            @Override
            public Consumer createConsumer(Processor processor) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
