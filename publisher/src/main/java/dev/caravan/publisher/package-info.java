/**
 * Writes messages into a Caravan outbox, in the transaction of the application. No dependencies; Java 17.
 *
 * <pre>{@code
 * Outbox outbox = Outbox.onSearchPath();
 *
 * connection.setAutoCommit(false);
 * insertOrder(connection, order);
 * outbox.publish(connection, Message.of("order", order.id(), "order.created", json));
 * connection.commit();
 * }</pre>
 *
 * <p>The order and its message are committed together or not at all. Caravan delivers committed messages at least once, and those of
 * one aggregate in order.
 */
package dev.caravan.publisher;
