package dev.caravan.camel.guard;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.Processor;
import org.apache.camel.processor.idempotent.IdempotentConsumer;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.apache.camel.spi.IdempotentRepository;
import org.apache.camel.support.builder.ExpressionBuilder;
import org.apache.camel.support.service.ServiceSupport;

/**
 * The bean {@code messageIds} for the step idempotentConsumer: the ids of delivered messages, for each subscription, in the table
 * {@code outbox_idempotent} of the database of the outbox.
 */
public final class MessageIds extends ServiceSupport implements IdempotentRepository {
    public static final String BEAN = "messageIds";
    private static final String OUTBOX = "outbox:";

    private final Function<String, IdempotentRepository> tables;
    /** By the URI of the outbox endpoint, or the id of a route with another source. */
    private final Map<String, IdempotentRepository> ofSource = new ConcurrentHashMap<>();

    /** @param tables creates the repository of a subscription */
    public MessageIds(Function<String, IdempotentRepository> tables) {
        this.tables = tables;
    }

    /**
     * Does not replace a bean of this name.
     *
     * @param database connections to the database of the outbox, in which its schema is the only one or the first
     */
    public static void bind(CamelContext context, Supplier<DataSource> database) {
        if (context.getRegistry().lookupByName(BEAN) == null) {
            var ids = new MessageIds(subscription -> table(database.get(), subscription));
            context.getRegistry().bind(BEAN, IdempotentRepository.class, ids);
        }
    }

    /**
     * Skips messages whose id is known. An id is stored after the route has delivered the message.
     *
     * @param route the steps of the route
     */
    public static Processor skipRepeats(CamelContext context, Processor route) {
        Expression id = ExpressionBuilder.headerExpression(OutboxConstants.ID);
        id.init(context);
        IdempotentRepository ids = context.getRegistry().lookupByNameAndType(BEAN, IdempotentRepository.class);
        var skipping = new IdempotentConsumer(id, ids, false, false, true, true, route);
        skipping.setCamelContext(context);
        return Around.step(skipping, new OnlyDelivered());
    }

    private IdempotentRepository of(Exchange exchange) {
        String uri = exchange.getFromEndpoint().getEndpointUri();
        return ofSource.computeIfAbsent(
                uri.startsWith(OUTBOX) ? uri : exchange.getFromRouteId(), source -> tables.apply(subscription(source)));
    }

    private static String subscription(String source) {
        return source.startsWith(OUTBOX)
                ? source.substring(OUTBOX.length()).replaceFirst("^//", "").replaceFirst("\\?.*", "")
                : source;
    }

    private static IdempotentRepository table(DataSource database, String subscription) {
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
