package dev.caravan.lab.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.LocalDate;
import java.util.List;

/**
 * One booking of the demo and its events. The number and the seed determine everything, so that runs with the same seed write
 * the same messages, in whatever order the threads run.
 */
record Booking(int number, long seed) {
    /** The types of the events of a booking, repeated from the start. */
    private static final List<String> EVENT_TYPES = List.of(
            "booking.requested",
            "order.placed",
            "booking.confirmed",
            "booking.changed",
            "order.paid",
            "booking.changed",
            "booking.cancelled",
            "order.refunded");

    private static final LocalDate FIRST_DAY = LocalDate.of(2026, 1, 1);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The key of its messages. */
    String id() {
        return "B-%05d".formatted(number);
    }

    /** @param seq sequence number of the message within its booking: 1, 2, 3 … */
    String type(long seq) {
        return EVENT_TYPES.get((int) ((seq - 1) % EVENT_TYPES.size()));
    }

    String payload(long seq) {
        int fact = Math.floorMod(Long.hashCode(seed * 31 + number) * 31 + Long.hashCode(seq), 1_000_000);
        var message = new Payload(
                id(),
                seq,
                new Customer("Guest " + number + " & family", "+1555010%04d".formatted(number), email()),
                FIRST_DAY.plusDays(fact % 365).toString(),
                "%02d:%02d".formatted(17 + fact % 5, fact % 4 * 15),
                2 + fact % 7,
                "%d.%02d".formatted(20 + fact % 180, fact % 100),
                "EUR");
        try {
            return JSON.writeValueAsString(message);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A record of texts and numbers is always JSON", e);
        }
    }

    private String email() {
        return "guest%d@example.com".formatted(number);
    }

    private record Customer(String name, String phone, String email) {}

    private record Payload(
            String bookingId,
            long seq,
            Customer customer,
            String date,
            String time,
            int seats,
            String price,
            String currency) {}
}
