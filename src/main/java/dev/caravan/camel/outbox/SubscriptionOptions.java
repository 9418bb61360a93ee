package dev.caravan.camel.outbox;

import dev.caravan.engine.schedule.Order;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriParams;

/** Which messages a subscription delivers, in which order, and with which steps. */
@UriParams
public class SubscriptionOptions {
    @UriParam(
            label = "consumer",
            defaultValue = "*",
            description =
                    "Message types to deliver, separated by commas; * matches any characters. Messages of other types"
                            + " count as delivered.")
    private String types = "*";

    @UriParam(
            label = "consumer",
            defaultValue = "key",
            enums = "key,strict,none",
            description = "Which messages wait for each other: those of one key (key), all (strict), or none (none).")
    private Order order = Order.key;

    @UriParam(
            label = "consumer",
            defaultValue = "1",
            description =
                    "Number of lanes into which the subscription is split by its keys (1 to 64), so that several relays can"
                            + " share it. Other limits, except rate and burst, apply to each lane. Must be 1 with order=strict. To change an existing"
                            + " subscription, use the command subscriptions lanes.")
    private int lanes = 1;

    @UriParam(
            label = "consumer",
            defaultValue = "earliest",
            description =
                    "Where a new subscription starts: earliest, latest, an id of the outbox, or a time in ISO 8601 such as"
                            + " 2026-01-31T00:00:00Z. An existing subscription continues at its position.")
    private String start = "earliest";

    @UriParam(
            label = "consumer",
            description =
                    "Start the messages of a key without waiting for the previous one. For destinations that keep the order"
                            + " of what they receive, such as Kafka. If a message fails, the later ones of its key are sent again.")
    private boolean pipelined;

    @UriParam(
            label = "consumer",
            description =
                    "Skip a message whose id this subscription has delivered before. The ids of delivered messages are stored in"
                            + " outbox_idempotent. Not with batching or pipelined.")
    private boolean idempotent;

    @UriParam(
            label = "consumer,advanced",
            description =
                    "Allow steps that end the route before the message is delivered, such as wireTap, aggregate and seda. A"
                            + " message that fails in them afterwards is lost.")
    private boolean earlyAcknowledge;

    public String getTypes() {
        return types;
    }

    public void setTypes(String types) {
        this.types = types;
    }

    public Order getOrder() {
        return order;
    }

    public void setOrder(Order order) {
        this.order = order;
    }

    public int getLanes() {
        return lanes;
    }

    public void setLanes(int lanes) {
        this.lanes = lanes;
    }

    public String getStart() {
        return start;
    }

    public void setStart(String start) {
        this.start = start;
    }

    public boolean isPipelined() {
        return pipelined;
    }

    public void setPipelined(boolean pipelined) {
        this.pipelined = pipelined;
    }

    public boolean isIdempotent() {
        return idempotent;
    }

    public void setIdempotent(boolean idempotent) {
        this.idempotent = idempotent;
    }

    public boolean isEarlyAcknowledge() {
        return earlyAcknowledge;
    }

    public void setEarlyAcknowledge(boolean earlyAcknowledge) {
        this.earlyAcknowledge = earlyAcknowledge;
    }
}
