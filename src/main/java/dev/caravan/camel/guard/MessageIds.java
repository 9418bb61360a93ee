package dev.caravan.camel.guard;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
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
    private static final AtEnd FAIL_AT_COMPLETION = new AtEnd(
            exchange -> {
                Part part = Part.of(exchange);
                if (part != null && !part.isFinished(exchange)) {
                    exchange.getExchangeExtension().setFailureHandled(true);
                    Part.storesNothing(exchange);
                }
            },
            true);

    /**
     * Where ids are stored.
     *
     * @param database connections to the database of the outbox, in which its schema is the only one or the first; null for ids in memory
     * @param subscription its name, or the id of a route with another source
     */
    public record Place(DataSource database, String subscription) {}

    private final Function<Exchange, Place> places;
    private final Function<Place, IdempotentRepository> tables;
    private final Map<Place, IdempotentRepository> used = new ConcurrentHashMap<>();

    private MessageIds(Function<Exchange, Place> places, Function<Place, IdempotentRepository> tables) {
        this.places = places;
        this.tables = tables;
    }

    /** @param tables creates the repository of a subscription */
    public MessageIds(Function<String, IdempotentRepository> tables) {
        this(exchange -> new Place(null, subscription(exchange)), place -> tables.apply(place.subscription()));
    }

    /**
     * Does not replace a bean of this name.
     *
     * @param places where the ids of an exchange are stored: the components of a context may have different databases, and a context that
     *     starts again may have others
     */
    public static void bind(CamelContext context, Function<Exchange, Place> places) {
        if (context.getRegistry().lookupByName(BEAN) == null) {
            var ids = new MessageIds(places, MessageIds::table);
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
        return new GuardedStep(
                skipping,
                List.of(MessageIds::storeOnlyDelivered, RepeatedParts.refusal(BEAN, OutboxConstants.ID)),
                failed -> {});
    }

    /**
     * Makes an idempotentConsumer store the ids of delivered messages only. Camel's implementation stores the id of each exchange that
     * completes without an exception, even if it is marked for rollback or as dead, or a part of it has failed: the next attempt would be
     * skipped as a repeat, and the message lost. Also does not store the id of a message of a batch that is sent again after a failed one of
     * its key, to restore their order.
     */
    static Runnable storeOnlyDelivered(Exchange exchange) {
        exchange.getExchangeExtension().addOnCompletion(FAIL_AT_COMPLETION);
        return Around.NOTHING;
    }

    private IdempotentRepository of(Exchange exchange) {
        return used.computeIfAbsent(places.apply(exchange), tables);
    }

    private static String subscription(Exchange exchange) {
        String uri = exchange.getFromEndpoint().getEndpointUri();
        return uri.startsWith(OUTBOX)
                ? uri.substring(OUTBOX.length()).replaceFirst("^//", "").replaceFirst("\\?.*", "")
                : exchange.getFromRouteId();
    }

    private static IdempotentRepository table(Place place) {
        var ids = new JdbcMessageIdRepository(place.database(), place.subscription());
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
