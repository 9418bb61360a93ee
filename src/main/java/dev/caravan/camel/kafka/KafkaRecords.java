package dev.caravan.camel.kafka;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Endpoint;
import org.apache.camel.builder.ThreadPoolProfileBuilder;
import org.apache.camel.component.kafka.KafkaConfiguration;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.kafka.KafkaProducer;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.camel.spi.ThreadPoolProfile;
import org.apache.camel.support.service.ServiceHelper;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends messages to Kafka as they are: bytes unchanged, and each message of a list with its own headers. With the serializer for text,
 * which is Camel's default, the kafka component would first decode a body of bytes as UTF-8 and replace what is not valid. With the one
 * for bytes it converts text and streams to bytes, and {@link BytesOrText} converts everything else.
 */
public final class KafkaRecords implements EndpointStrategy {
    /** After which threads of a route without messages end: a relay may have hundreds of routes. */
    private static final long IDLE_SECONDS = 10L;

    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint instanceof KafkaEndpoint kafka) {
            KafkaConfiguration options = kafka.getConfiguration();
            options.setBatchWithIndividualHeaders(true);
            if (StringSerializer.class.getName().equals(options.getValueSerializer())) {
                options.setValueSerializer(ByteArraySerializer.class.getName());
            }
            return batching(kafka);
        }
        return endpoint;
    }

    private static Endpoint batching(KafkaEndpoint endpoint) {
        if (endpoint.getClass() != KafkaEndpoint.class) {
            return endpoint;
        }
        BatchEndpoint batching = new BatchEndpoint(endpoint);
        ServiceHelper.startService(batching); // Camel has started the endpoint that this one replaces
        return batching;
    }

    /** An endpoint of the kafka component. Its producer sends each message of a batch without waiting for the previous one. */
    private static final class BatchEndpoint extends KafkaEndpoint {
        BatchEndpoint(KafkaEndpoint endpoint) {
            super(endpoint.getEndpointUri(), endpoint.getComponent());
            setCamelContext(endpoint.getCamelContext());
            setConfiguration(endpoint.getConfiguration());
            setKafkaClientFactory(endpoint.getKafkaClientFactory());
            setKafkaManualCommitFactory(endpoint.getKafkaManualCommitFactory());
            setExchangePattern(endpoint.getExchangePattern());
            setExceptionHandler(endpoint.getExceptionHandler());
            setBridgeErrorHandler(endpoint.isBridgeErrorHandler());
            setLazyStartProducer(endpoint.isLazyStartProducer());
            setAutowiredEnabled(endpoint.isAutowiredEnabled());
        }

        /**
         * The threads that continue the route after Kafka's answer. With Camel's own, Kafka's thread runs the steps behind 1,000 waiting
         * answers, and no other route gets an answer meanwhile.
         */
        @Override
        public ExecutorService createProducerExecutor(Object source) {
            KafkaConfiguration options = getConfiguration();
            String name = "KafkaProducer[" + options.getTopic() + "]";
            ThreadPoolProfile profile = new ThreadPoolProfileBuilder(name)
                    .poolSize(options.getWorkerPoolCoreSize())
                    .maxPoolSize(options.getWorkerPoolMaxSize())
                    .maxQueueSize(Integer.MAX_VALUE)
                    .keepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS)
                    .allowCoreThreadTimeOut(true)
                    .build();
            return getCamelContext().getExecutorServiceManager().newThreadPool(source, name, profile);
        }

        @Override
        protected KafkaProducer createProducer(KafkaEndpoint endpoint) {
            return new BatchProducer(endpoint);
        }
    }
}
