package dev.caravan.camel.kafka;

import dev.caravan.camel.headers.NoControlHeaders;
import dev.caravan.camel.step.FieldCopy;
import dev.caravan.camel.step.OutboxDelivery;
import dev.caravan.camel.step.ProducerByExchange;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.Producer;
import org.apache.camel.builder.ThreadPoolProfileBuilder;
import org.apache.camel.component.kafka.DefaultKafkaClientFactory;
import org.apache.camel.component.kafka.KafkaConfiguration;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.kafka.KafkaProducer;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.camel.spi.ThreadPoolProfile;
import org.apache.camel.support.service.ServiceHelper;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends messages of an outbox to Kafka as they are: bytes unchanged, and each message of a list with its own headers. Other exchanges of a
 * Kafka endpoint are sent, and received, as without Caravan. With the serializer for text, which is Camel's default, the kafka component
 * would first decode a body of bytes as UTF-8 and replace what is not valid. {@link RecordFactory} converts
 * everything else to bytes.
 */
public final class KafkaRecords implements EndpointStrategy {
    private static final String NO_TRANSACTIONS = "transacted and transactionalId are not for messages of an outbox: a"
            + " transaction belongs to one client of Kafka, so the start of another relay, also of one that only waits, fails those"
            + " of this one, and messages that are sent at the same time fail each other until they are dead. Remove the option:"
            + " a record is stored once per attempt, and a message whose route fails is sent again";

    /** After which an idle thread ends. */
    private static final long IDLE_SECONDS = 10L;

    /** Null before the first message. */
    private KafkaClients clients;
    /** The threads that continue routes after Kafka's answer; null before the first message. */
    private ExecutorService answers;

    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint.getClass() != KafkaEndpoint.class) {
            return endpoint;
        }
        BothKafka both = new BothKafka((KafkaEndpoint) endpoint);
        ServiceHelper.startService(both); // Camel has started the endpoint that this one replaces
        return both;
    }

    private synchronized KafkaClients clients(CamelContext context) {
        if (clients == null) {
            ClassLoader loader = context.getApplicationContextClassLoader();
            clients = new KafkaClients(loader == null ? KafkaRecords.class.getClassLoader() : loader);
        }
        return clients;
    }

    private synchronized ExecutorService answers(CamelContext context) {
        if (answers == null || answers.isShutdown()) {
            ThreadPoolProfile profile = new ThreadPoolProfileBuilder("KafkaProducer")
                    .poolSize(1) // with 0, Camel allows one thread only
                    .maxPoolSize(Integer.MAX_VALUE)
                    .maxQueueSize(0)
                    .keepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS)
                    .allowCoreThreadTimeOut(true)
                    .build();
            answers = context.getExecutorServiceManager().newThreadPool(this, "KafkaProducer", profile);
        }
        return answers;
    }

    /** An endpoint with two producers. */
    private final class BothKafka extends KafkaEndpoint implements OutboxDelivery {
        /** Null before the first message. */
        private BatchEndpoint own;

        private BothKafka(KafkaEndpoint original) {
            FieldCopy.copy(KafkaEndpoint.class, original, this);
        }

        @Override
        public Producer createProducer() {
            return new ProducerByExchange(this, this::createDelivery, super::createProducer);
        }

        @Override
        public Producer createDelivery() throws Exception {
            return own().createProducer();
        }

        private synchronized BatchEndpoint own() {
            if (own == null) {
                own = new BatchEndpoint(this, clients(getCamelContext()));
                ServiceHelper.startService(own);
            }
            return own;
        }

        @Override
        protected void doStop() throws Exception {
            synchronized (this) {
                ServiceHelper.stopAndShutdownService(own);
                own = null;
            }
            super.doStop();
        }
    }

    /** A copy of an endpoint that sends messages only. Its producer sends each message of a batch without waiting for the previous one. */
    private final class BatchEndpoint extends KafkaEndpoint {
        BatchEndpoint(KafkaEndpoint endpoint, KafkaClients clients) {
            super(endpoint.getEndpointUri(), endpoint.getComponent());
            setCamelContext(endpoint.getCamelContext());
            setConfiguration(options(endpoint.getConfiguration()));
            boolean isOfUser = endpoint.getKafkaClientFactory() != null
                    && endpoint.getKafkaClientFactory().getClass() != DefaultKafkaClientFactory.class;
            setKafkaClientFactory(isOfUser ? endpoint.getKafkaClientFactory() : clients);
            setExchangePattern(endpoint.getExchangePattern());
            setExceptionHandler(endpoint.getExceptionHandler());
            setBridgeErrorHandler(endpoint.isBridgeErrorHandler());
            setLazyStartProducer(endpoint.isLazyStartProducer());
            setAutowiredEnabled(endpoint.isAutowiredEnabled());
        }

        private static KafkaConfiguration options(KafkaConfiguration ofEndpoint) {
            KafkaConfiguration options = ofEndpoint.copy();
            options.setHeaderFilterStrategy(new NoControlHeaders(options.getHeaderFilterStrategy()));
            options.setBatchWithIndividualHeaders(true);
            options.setSynchronous(false); // with it, Camel would not call the method that knows whose failure it is
            if (options.isTransacted()
                    || options.createProducerProperties().containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
                throw new IllegalArgumentException(NO_TRANSACTIONS);
            }
            if (StringSerializer.class.getName().equals(options.getValueSerializer())) {
                options.setValueSerializer(ByteArraySerializer.class.getName());
            }
            return options;
        }

        /**
         * The threads that continue the route after Kafka's answer. With Camel's own, Kafka's thread runs the steps behind 1,000 waiting
         * answers, and no other route gets an answer meanwhile.
         */
        @Override
        public ExecutorService createProducerExecutor(Object source) {
            return new AnswerThreads(
                    answers(getCamelContext()), getConfiguration().getWorkerPoolCoreSize());
        }

        @Override
        protected KafkaProducer createProducer(KafkaEndpoint endpoint) {
            return new BatchProducer(endpoint);
        }
    }
}
