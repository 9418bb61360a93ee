package dev.caravan.lab.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/** The prepared statements of one connection of the booking application. */
final class BookingStatements implements AutoCloseable {
    private final PreparedStatement lock;
    private final PreparedStatement insert;
    private final PreparedStatement change;

    BookingStatements(Connection connection) throws SQLException {
        lock = connection.prepareStatement(DemoSql.read("lock-booking"));
        insert = connection.prepareStatement(DemoSql.read("insert-message"));
        change = connection.prepareStatement(DemoSql.read("change-booking"));
    }

    long lock(Booking booking) throws SQLException {
        lock.setString(1, booking.id());
        try (var rows = lock.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    void insert(UUID messageId, Booking booking, long seq) throws SQLException {
        insert.setObject(1, messageId);
        insert.setString(2, booking.id());
        insert.setString(3, booking.type(seq));
        insert.setString(4, booking.payload(seq));
        insert.executeUpdate();
    }

    void change(Booking booking, long seq) throws SQLException {
        change.setString(1, booking.type(seq));
        change.setLong(2, seq);
        change.setString(3, booking.id());
        change.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
        lock.close();
        insert.close();
        change.close();
    }
}
