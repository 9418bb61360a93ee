package dev.caravan.lab.demo;

import java.util.List;
import java.util.function.Function;

/** A destination of the demo. Defines the expected messages independently of the routes under test. */
enum DemoDestination {
    KAFKA_ORDERS("kafka orders", SentMessage::key, "order.placed", "order.paid", "order.refunded"),
    KAFKA_BOOKINGS(
            "kafka bookings",
            SentMessage::key,
            "booking.requested",
            "booking.confirmed",
            "booking.changed",
            "booking.cancelled"),
    SMS("sms", SentMessage::phone, "booking.confirmed", "booking.cancelled"),
    EMAIL("email", SentMessage::email, "order.placed", "booking.confirmed");

    private final String title;
    private final Function<SentMessage, String> address;
    private final List<String> types;

    DemoDestination(String title, Function<SentMessage, String> address, String... types) {
        this.title = title;
        this.address = address;
        this.types = List.of(types);
    }

    String title() {
        return title;
    }

    boolean expects(String type) {
        return types.contains(type);
    }

    /** The expected receiver of a message: record key, phone number or mail address. */
    String addressOf(SentMessage message) {
        return address.apply(message);
    }
}
