package example;

import dev.caravan.publisher.Message;
import dev.caravan.publisher.Outbox;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.*;

@RestController
public class Orders {
    private final Outbox outbox = Outbox.onSearchPath();
    private final JdbcTemplate jdbc;

    Orders(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @PutMapping("/orders/{id}")
    @Transactional
    public void place(@PathVariable String id, @RequestBody String json) {
        jdbc.update("insert into orders (id, content) values (?, ?::json)", id, json);
        jdbc.execute((ConnectionCallback<UUID>)
                connection -> outbox.publish(connection, Message.of("order", id, "order.placed", json)));
    }
}
