package example;

import dev.caravan.publisher.Message;
import dev.caravan.publisher.Outbox;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;

/** Writes an order and its message in one transaction. */
@Path("/orders")
public class Orders {
    private final Outbox outbox = Outbox.onSearchPath();
    private final DataSource dataSource;

    Orders(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Returns the message id, by which receivers recognize a repeat. */
    @PUT
    @Path("/{id}")
    @Transactional
    public String place(String id, String order) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            try (var insert = connection.prepareStatement("insert into orders (id, content) values (?, ?::json)")) {
                insert.setString(1, id);
                insert.setString(2, order);
                insert.executeUpdate();
            }
            UUID messageId = outbox.publish(connection, Message.of("order", id, "order.placed", order));
            return messageId.toString();
        }
    }
}
