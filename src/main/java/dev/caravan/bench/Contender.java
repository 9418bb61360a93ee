package dev.caravan.bench;

/** One way to move the messages of an outbox to a Kafka topic. */
interface Contender {
    String name();

    /** Delivers all messages, numbered from 1, and returns when that is saved. */
    void drain(Outbox outbox, String brokers, String topic, int messages) throws Exception;
}
