package example;

import java.util.UUID;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {
    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    /** Returns the message id, by which receivers recognize a repeat. */
    @PutMapping("/orders/{id}")
    UUID place(@PathVariable String id, @RequestBody String order) {
        return orders.place(id, order);
    }
}
