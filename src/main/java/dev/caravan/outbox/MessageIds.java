package dev.caravan.outbox;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.apache.camel.spi.IdempotentRepository;
import org.apache.camel.support.service.ServiceSupport;

/**
 * The bean {@code messageIds} for the step idempotentConsumer: the ids of delivered messages, for each subscription, in the table
 * {@code outbox_idempotent} of the database of the bean {@code dataSource}.
 */
final class MessageIds extends ServiceSupport implements IdempotentRepository {
    static final String BEAN = "messageIds";

    private final CamelContext context;
    private final Map<String, IdempotentRepository> ofSubscription = new ConcurrentHashMap<>();

    private MessageIds(CamelContext context) {
        this.context = context;
    }

    /** Does not replace a bean of this name. */
    static void bind(CamelContext context) {
        if (context.getRegistry().lookupByName(BEAN) == null) {
            context.getRegistry().bind(BEAN, IdempotentRepository.class, new MessageIds(context));
        }
    }

    private IdempotentRepository of(Exchange exchange) {
        String subscription = exchange.getFromEndpoint() instanceof OutboxEndpoint outbox
                ? outbox.getName()
                : exchange.getFromRouteId();
        return ofSubscription.computeIfAbsent(subscription, this::create);
    }

    private IdempotentRepository create(String subscription) {
        DataSource database = context.getRegistry().lookupByNameAndType("dataSource", DataSource.class);
        var ids = new JdbcMessageIdRepository(database, subscription);
        ids.setTableName("outbox_idempotent");
        ids.setCreateTableIfNotExists(false);
        ids.start();
        return ids;
    }

    @Override
    public boolean contains(Exchange exchange, String id) {
        return of(exchange).contains(id);
    }

    @Override
    public boolean add(Exchange exchange, String id) {
        return of(exchange).add(id);
    }

    @Override
    public boolean remove(Exchange exchange, String id) {
        return of(exchange).remove(id);
    }

    @Override
    public boolean confirm(Exchange exchange, String id) {
        return of(exchange).confirm(id);
    }

    // Camel calls the methods with an exchange only.

    @Override
    public boolean contains(String id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean add(String id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean remove(String id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean confirm(String id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void clear() {
        throw new UnsupportedOperationException();
    }
}
