package example;

import dev.caravan.publisher.Message;
import dev.caravan.publisher.Outbox;
import java.util.UUID;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Writes an order and its message in one transaction. */
@Service
class Orders {
    private final Outbox outbox = Outbox.onSearchPath();
    private final JdbcTemplate jdbc;

    Orders(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    public UUID place(String id, String order) {
        jdbc.update("insert into orders (id, content) values (?, ?::json)", id, order);
        return jdbc.execute((ConnectionCallback<UUID>)
                connection -> outbox.publish(connection, Message.of("order", id, "order.placed", order)));
    }
}
