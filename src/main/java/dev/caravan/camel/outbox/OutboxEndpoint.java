package dev.caravan.camel.outbox;

import dev.caravan.camel.guard.BatchSteps;
import dev.caravan.camel.guard.EarlyAcknowledgement;
import dev.caravan.camel.guard.LiteralPlaces;
import dev.caravan.camel.guard.MessageIds;
import dev.caravan.camel.guard.PartSteps;
import dev.caravan.camel.guard.TemplateFiles;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.RateLimit;
import dev.caravan.engine.loop.LaneChoice;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.engine.loop.LaneLoop;
import dev.caravan.engine.loop.ReadPace;
import dev.caravan.engine.loop.SubscriptionParts;
import dev.caravan.engine.loop.TailLoop;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.store.BatchRows;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.OutboxConnections;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.camel.Category;
import org.apache.camel.Consumer;
import org.apache.camel.PollingConsumer;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.Route;
import org.apache.camel.component.sql.DefaultSqlEndpoint;
import org.apache.camel.component.sql.SqlConsumer;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.UriEndpoint;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriPath;
import org.springframework.jdbc.core.JdbcTemplate;

/** Delivers the messages of a transactional outbox in Postgres to a route, or appends messages to it. */
@UriEndpoint(
        firstVersion = "0.1.0",
        scheme = "outbox",
        title = "Outbox",
        syntax = "outbox:name",
        category = {Category.DATABASE, Category.MESSAGING},
        headersClass = OutboxConstants.class)
@Metadata(
        excludeProperties =
                "transacted,batch,maxMessagesPerPoll,processingStrategy,fetchSize,prepareStatementStrategy,onConsume,"
                        + "onConsumeFailed,onConsumeBatchComplete,useIterator,routeEmptyResultSet,expectedUpdateCount,"
                        + "breakBatchOnConsumeFail,allowNamedParameters,alwaysPopulateStatement,separator,outputType,"
                        + "outputClass,parametersCount,noop,outputHeader,useMessageBodyForSql,placeholder,usePlaceholder,"
                        + "templateOptions,rowMapperFactory,dataSource,exchangePattern,sendEmptyMessageWhenIdle,pollStrategy,"
                        + "bridgeErrorHandler,exceptionHandler,greedy,initialDelay,delay,timeUnit,useFixedDelay,"
                        + "backoffMultiplier,backoffIdleThreshold,backoffErrorThreshold,repeatCount,startScheduler,scheduler,"
                        + "schedulerProperties,scheduledExecutorService")
public class OutboxEndpoint extends DefaultSqlEndpoint {
    static final String READ_BY_ANOTHER =
            "another route of this relay reads this subscription: each route needs its own name after outbox:";

    @UriPath(
            description =
                    "Consumer: name of the subscription; its progress is stored under this name. Producer: name of the"
                            + " step that appends; part of the message ids that it generates.")
    @Metadata(required = true)
    private final String name;

    @UriParam
    private final SubscriptionOptions subscription = new SubscriptionOptions();

    @UriParam
    private final BatchOptions batches = new BatchOptions();

    @UriParam
    private final LimitOptions limits = new LimitOptions();

    @UriParam
    private final RetryOptions retries = new RetryOptions();

    @UriParam
    private final AppendOptions appended = new AppendOptions();

    private final IgnoredHeaders ignoredHeaders;
    /** Null before the first use. */
    private RateLimit rateLimit;

    public OutboxEndpoint(String uri, OutboxComponent component, String name) {
        super(uri, component);
        this.name = name;
        ignoredHeaders = new IgnoredHeaders(name);
        setUsePlaceholder(false); // the statements use the ? of JDBC
        // ReadPace determines the pauses; Camel must add none.
        setGreedy(true);
        setInitialDelay(0);
        setDelay(ReadPace.SHORTEST_MILLIS);
    }

    /** Shared by the lanes of this subscription. */
    IgnoredHeaders ignoredHeaders() {
        return ignoredHeaders;
    }

    /** Shared by the lanes of this subscription, also after a restart of the route; empty without the option {@code rate}. */
    synchronized Optional<RateLimit> rateLimit() {
        if (limits.getRate() != null && rateLimit == null) {
            rateLimit = EndpointSettings.rateLimit(this);
        }
        return Optional.ofNullable(rateLimit);
    }

    @Override
    public OutboxComponent getComponent() {
        return (OutboxComponent) super.getComponent();
    }

    /** @throws IllegalArgumentException with all problems; does nothing if there are none */
    void refuse(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("outbox:" + name + ": " + String.join("; ", problems));
        }
    }

    /**
     * Checks routes that are to start, before the first of them starts.
     *
     * @throws IllegalArgumentException with the problems of the first route that cannot start
     */
    public static void check(List<Route> routes) {
        Set<String> subscriptions = new HashSet<>();
        for (Route route : routes) {
            if (route.getEndpoint() instanceof OutboxEndpoint outbox) {
                outbox.check(route);
                outbox.refuse(
                        subscriptions.add(outbox.name) && !outbox.isRead() ? List.of() : List.of(READ_BY_ANOTHER));
            }
        }
    }

    private boolean isRead() {
        return getComponent().lanes().all().stream()
                .anyMatch(lane -> lane.subscription().equals(name));
    }

    /** Checks the steps of the route of a consumer. A restarted route has no definition any more; it was checked when it first started. */
    void check(Route route) {
        if (route != null && route.getRoute() instanceof RouteDefinition definition) {
            refuse(Stream.concat(problems(definition).stream(), textsOfMistakes(definition))
                    .toList());
        }
    }

    /** The problems with the options of this endpoint when a route reads from it; empty if there are none. */
    public List<String> problems() {
        return ConsumerCheck.of(this);
    }

    /** Whether a route that reads this endpoint may end before the delivery of its message. */
    boolean mayEndEarly() {
        return subscription.isEarlyAcknowledge();
    }

    /** The problems with the steps of a route that reads this endpoint; empty if there are none. */
    public List<String> problems(RouteDefinition route) {
        return Stream.of(
                        earlyEnds(route),
                        unguarded(),
                        TemplateFiles.problems(getCamelContext(), route, subscription.getTypes()))
                .flatMap(List::stream)
                .toList();
    }

    /**
     * The steps of a route that reads this endpoint that send a function as a text, and with {@code batching} also those that read what only one
     * message has; empty if there are none.
     */
    public List<BatchSteps.Found> mistakes(RouteDefinition route) {
        Stream<BatchSteps.Found> texts = LiteralPlaces.of(getCamelContext(), route);
        return batches.isBatching()
                ? Stream.concat(texts, EarlyAcknowledgement.ofBatch(getCamelContext(), route).stream())
                        .toList()
                : texts.toList();
    }

    private Stream<String> textsOfMistakes(RouteDefinition route) {
        return mistakes(route).stream()
                .map(found -> "route " + route.getRouteId() + ": " + place(found.step()) + found.text());
    }

    /** Camel knows the file and the line of a step in YAML and XML. */
    private static String place(ProcessorDefinition<?> step) {
        return step.getLocation() == null || step.getLineNumber() < 1
                ? ""
                : step.getLocation().replaceFirst(".*[/:]", "") + ":" + step.getLineNumber() + ": ";
    }

    /** The problems of a route that a route which runs may reach. */
    List<String> problemsOfSteps(RouteDefinition route) {
        return Stream.concat(earlyEnds(route).stream(), textsOfMistakes(route)).toList();
    }

    /** The routes to which a message may come, and that Camel built before the component existed; empty if there are none. */
    private List<String> unguarded() {
        List<String> routes = PartSteps.routesWithout(getCamelContext());
        return routes.isEmpty()
                ? List.of()
                : List.of(
                        "Camel built the routes " + String.join(", ", routes)
                                + " before the component outbox existed, so a message whose part fails in one of them could count as"
                                + " delivered. Bind an OutboxComponent to the name outbox before the context starts. If one is bound, Camel's"
                                + " class loader did not find it: call context.getComponent(\"outbox\") before the context starts");
    }

    /** The steps that end a route before the delivery of its message; empty if {@code earlyAcknowledge} is set. */
    List<String> earlyEnds(RouteDefinition route) {
        boolean isOneAtATime = limits.getConcurrency() == 1 || subscription.getOrder() == Order.strict;
        var use = new EarlyAcknowledgement.Use(
                subscription.isPipelined(),
                batches.isBatching(),
                subscription.getOrder() != Order.none,
                subscription.isIdempotent(),
                isOneAtATime && !subscription.isPipelined() && subscription.getLanes() == 1);
        return mayEndEarly() ? List.of() : EarlyAcknowledgement.problems(getCamelContext(), route, use);
    }

    @Override
    public Consumer createConsumer(Processor route) throws Exception {
        ConsumerCheck.require(this);
        Processor processor = subscription.isIdempotent() ? MessageIds.skipRepeats(getCamelContext(), route) : route;
        if (getComponent().isOnDemand()) {
            return new OnDemandConsumer(this, processor);
        }
        getComponent().requireDatabase();
        return subscription.getLanes() > 1 ? new LanesConsumer(this, processor) : lane(0, shared(), processor);
    }

    /** Creates the consumer of one lane. */
    OutboxConsumer lane(int number, SubscriptionParts shared, Processor route) {
        OutboxConsumer consumer = OutboxConsumer.of(this, number, shared, route);
        configure(consumer);
        consumer.shareThreads();
        return consumer;
    }

    /** Creates what the lanes of one consumer share. */
    SubscriptionParts shared() {
        return new SubscriptionParts(
                new LaneChoice(
                        name,
                        subscription.getLanes(),
                        getComponent().parts().freeLanes(),
                        getComponent().clock()),
                new LaneFailures("subscription " + name, getComponent().firstWait()),
                rateLimit());
    }

    /** Creates the loop of one lane. */
    LaneLoop loop(
            int number,
            SubscriptionParts shared,
            LaneCounters counters,
            java.util.function.Consumer<Change.Dead> deadLetters) {
        return new LaneLoop(settings(), number, connections(), getComponent().parts(), shared, counters, deadLetters);
    }

    /** Not supported: a poll, as by pollEnrich, does not report whether the message was delivered. */
    @Override
    public PollingConsumer createPollingConsumer() {
        throw new UnsupportedOperationException(
                "outbox:" + name
                        + " cannot be polled, because a poll does not report whether the message was delivered: write a route from it");
    }

    /** Creates the consumer that reads for all lanes of the relay. */
    TailConsumer tailConsumer(TailLoop tail) {
        TailConsumer consumer = TailConsumer.of(this, tail);
        configure(consumer);
        return consumer;
    }

    private void configure(SqlConsumer consumer) {
        try {
            configureConsumer(consumer);
        } catch (Exception e) {
            throw new IllegalArgumentException("outbox:" + name + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Producer createProducer() throws Exception {
        if (name.equals(DeadLetterProducer.NAME)) {
            return new DeadLetterProducer(this);
        }
        if (appended.getType() == null || appended.getType().isBlank()) {
            throw new IllegalArgumentException(
                    "outbox:" + name + " needs the option type, the type of the appended message,"
                            + " for example outbox:" + name + "?type=order.created");
        }
        refuse(appended.problems());
        return new OutboxProducer(this, getComponent().appends(this));
    }

    /** The statement that appends a message. On connections of the application, it names the schema. */
    Sql append() {
        return getComponent().isOfApplication()
                ? Sql.text(SqlFile.file("engine/append")
                        .replace(
                                "insert into outbox ",
                                "insert into " + getComponent().tables().quoted() + ".outbox "))
                : Sql.file("engine/append");
    }

    /** Uses connections to the newest history of the database. */
    JdbcTemplate jdbc() {
        return new JdbcTemplate(
                new OutboxConnections(getDataSource(), getComponent().histories()));
    }

    /** Connections to the history in which a lane was claimed. */
    LaneConnections connections() {
        return new LaneConnections(getDataSource(), getComponent().histories());
    }

    /** Converts the rows of a read; camel-sql calls this for its consumer. */
    @Override
    public List<?> queryForList(ResultSet rows, boolean allowMapToClass) throws SQLException {
        return List.of(BatchRows.of(rows));
    }

    /** These options, and those of the component, as settings of the lanes. */
    LaneSettings settings() {
        return EndpointSettings.of(this);
    }

    @Override
    protected String createEndpointUri() {
        return "outbox:" + name;
    }

    @Override
    public String getServiceProtocol() {
        return "outbox";
    }

    public String getName() {
        return name;
    }

    public SubscriptionOptions getSubscription() {
        return subscription;
    }

    public BatchOptions getBatches() {
        return batches;
    }

    public LimitOptions getLimits() {
        return limits;
    }

    public RetryOptions getRetries() {
        return retries;
    }

    public AppendOptions getAppended() {
        return appended;
    }
}
