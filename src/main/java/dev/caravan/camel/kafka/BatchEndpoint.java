package dev.caravan.camel.kafka;

import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.kafka.KafkaProducer;

/** An endpoint of the kafka component. Its producer sends each message of a batch without waiting for the previous one. */
final class BatchEndpoint extends KafkaEndpoint {
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

    @Override
    protected KafkaProducer createProducer(KafkaEndpoint endpoint) {
        return new BatchProducer(endpoint);
    }
}
