package dev.caravan.outbox;

import dev.caravan.delivery.Order;
import dev.caravan.headers.OutboxConstants;
import dev.caravan.loop.LaneChoice;
import dev.caravan.loop.LaneFailures;
import dev.caravan.loop.LoopSettings;
import dev.caravan.loop.ReadPace;
import dev.caravan.route.EarlyAcknowledgement;
import dev.caravan.store.BatchRows;
import dev.caravan.store.LaneConnections;
import dev.caravan.store.LaneId;
import dev.caravan.store.OutboxConnections;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.apache.camel.Category;
import org.apache.camel.Consumer;
import org.apache.camel.PollingConsumer;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.component.sql.DefaultSqlEndpoint;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.UriEndpoint;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriPath;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Delivers the messages of a transactional outbox in Postgres to a route, or appends messages to it. Long because Camel takes the
 * field, getter and setter of each option from this class; what is made of them is in {@link EndpointSettings}.
 */
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
    @UriPath(
            description = "Consumer: name of the subscription, which keeps its progress under it. Producer: name of the"
                    + " step that appends, part of the message ids it gives.")
    @Metadata(required = true)
    private final String name;

    @UriParam(
            label = "consumer",
            defaultValue = "*",
            description = "Message types to deliver, separated by commas; * stands for any characters. Others count as"
                    + " delivered.")
    private String types = "*";

    @UriParam(
            label = "consumer",
            defaultValue = "key",
            enums = "key,strict,none",
            description = "Which messages wait for each other: key, those of one key; strict, all; none.")
    private Order order = Order.key;

    @UriParam(
            label = "consumer",
            defaultValue = "1",
            description =
                    "Into how many lanes the subscription is split by its keys (1 to 64), so that several relays share it."
                            + " The other limits are those of each lane. Must be 1 in order strict. An existing subscription is"
                            + " changed by the command subscriptions lanes.")
    private int lanes = 1;

    @UriParam(
            label = "consumer",
            description =
                    "Start the messages of a key without waiting for each other. For destinations that keep the order of"
                            + " what they are sent, such as Kafka. When one fails, the later ones of its key are sent again.")
    private boolean pipelined;

    @UriParam(
            label = "consumer",
            defaultValue = "10",
            description = "How many messages may be on their way at once (1 to 1000). Not used with pipelined.")
    private int concurrency = 10;

    @UriParam(
            label = "consumer",
            defaultValue = "1000",
            description = "How many messages one read returns (1 to 10000).")
    private int batchSize = 1000;

    @UriParam(
            label = "consumer",
            defaultValue = "4194304",
            description =
                    "How many bytes of messages one read returns (1024 to 1073741824); a single larger message is still"
                            + " delivered. Up to four times as many are kept in memory.")
    private long batchBytes = 4 << 20;

    @UriParam(
            label = "consumer,advanced",
            defaultValue = "10000",
            description =
                    "How many messages may be taken and not finished, waiting ones of blocked keys included (at least"
                            + " batchSize, at most 1000000).")
    private int window = 10_000;

    @UriParam(
            label = "consumer",
            defaultValue = "100ms",
            javaType = "java.time.Duration",
            description =
                    "The longest time between two saves of progress while work goes on. A crash repeats at most what was"
                            + " finished since the last save.")
    private long saveInterval = 100;

    @UriParam(
            label = "consumer",
            defaultValue = "100ms",
            javaType = "java.time.Duration",
            description =
                    "The longest pause between two reads while nothing is written. Pauses begin with 5 ms and grow to a tenth"
                            + " of the time since the last message.")
    private long maxDelay = 100;

    @UriParam(
            label = "consumer",
            defaultValue = "earliest",
            description =
                    "Where a new subscription starts: earliest, latest, an id of the outbox, or a time in ISO 8601 such as"
                            + " 2026-01-31T00:00:00Z. An existing subscription continues where it was.")
    private String start = "earliest";

    @UriParam(
            label = "consumer",
            defaultValue = "1s",
            javaType = "java.time.Duration",
            description =
                    "How long a message that failed waits for its next attempt; four times as long after each failure.")
    private long backoff = 1_000;

    @UriParam(
            label = "consumer",
            defaultValue = "1d",
            javaType = "java.time.Duration",
            description = "The longest wait between two attempts of a message.")
    private long maxBackoff = Duration.ofDays(1).toMillis();

    @UriParam(
            label = "consumer",
            defaultValue = "10",
            description =
                    "How many failed attempts make a message dead (1 to 1000). Attempts while the destination is away do"
                            + " not count. With the default backoff ten attempts take about a day.")
    private int maxAttempts = 10;

    @UriParam(
            label = "consumer",
            defaultValue = "7d",
            javaType = "java.time.Duration",
            description = "A message that still fails so long after its first failure is dead.")
    private long maxAge = Duration.ofDays(7).toMillis();

    @UriParam(
            label = "consumer",
            defaultValue = "continue",
            enums = "continue,block",
            description =
                    "What the later messages of a key do when one of them is dead, in order key: continue, they follow;"
                            + " block, they wait until a person has retried or discarded the dead letter.")
    private String onDead = "continue";

    @UriParam(
            label = "consumer,advanced",
            description =
                    "Allow steps that end the route before the message is delivered, such as wireTap, aggregate and seda. What"
                            + " fails in them afterwards is lost.")
    private boolean earlyAcknowledge;

    @UriParam(label = "producer", description = "Type of the appended message; required.")
    private String type;

    @UriParam(
            label = "producer",
            description = "Aggregate type of the appended message; by default that of the message in the route.")
    private String aggregateType;

    @UriParam(
            label = "producer",
            description = "Aggregate id of the appended message; by default that of the message in the route.")
    private String aggregateId;

    private final IgnoredHeaders ignoredHeaders;

    public OutboxEndpoint(String uri, OutboxComponent component, String name) {
        super(uri, component);
        this.name = name;
        ignoredHeaders = new IgnoredHeaders(name);
        setUsePlaceholder(false); // the statements use the ? of JDBC
        // At once while there is work; how the pauses grow after that is the matter of ReadPace.
        setGreedy(true);
        setInitialDelay(0);
        setDelay(ReadPace.SHORTEST_MILLIS);
    }

    /** Of this subscription, shared by its lanes. */
    IgnoredHeaders ignoredHeaders() {
        return ignoredHeaders;
    }

    @Override
    public OutboxComponent getComponent() {
        return (OutboxComponent) super.getComponent();
    }

    /** What is wrong with the options of this endpoint for a route that reads from it. */
    public List<String> problems() {
        return ConsumerCheck.of(this);
    }

    /** What a route that reads this endpoint has to change, a text for each step; empty if nothing, or if it allows them. */
    public List<String> problems(RouteDefinition route) {
        return earlyAcknowledge ? List.of() : EarlyAcknowledgement.problems(getCamelContext(), route, pipelined);
    }

    @Override
    public Consumer createConsumer(Processor processor) throws Exception {
        ConsumerCheck.require(this);
        if (lanes > 1) {
            return new LanesConsumer(this, processor, this::configureLane);
        }
        OutboxConsumer consumer =
                new OutboxConsumer(LaneParts.of(this, LaneId.only(name), LaneChoice.ONLY_LANE, failures()), processor);
        configureLane(consumer);
        return consumer;
    }

    /** Of all lanes of a consumer. */
    LaneFailures failures() {
        return new LaneFailures(name, getComponent().firstWait());
    }

    /** Whoever polls, as pollEnrich does, says nothing about what becomes of a message: each would count as delivered. */
    @Override
    public PollingConsumer createPollingConsumer() {
        throw new UnsupportedOperationException(
                "outbox:" + name
                        + " cannot be polled, because nobody says whether a polled message was delivered: write a route from it");
    }

    private void configureLane(OutboxConsumer consumer) {
        try {
            configureConsumer(consumer);
        } catch (Exception e) {
            throw new IllegalArgumentException("outbox:" + name + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Producer createProducer() {
        if (name.equals(DeadLetterProducer.NAME)) {
            return new DeadLetterProducer(this);
        }
        if (type == null) {
            throw new IllegalArgumentException(
                    "outbox:" + name + " needs the option type: what the appended message says,"
                            + " for example outbox:" + name + "?type=order.created");
        }
        return new OutboxProducer(this, jdbc());
    }

    /** Gives connections to the newest history of the database. */
    JdbcTemplate jdbc() {
        return new JdbcTemplate(
                new OutboxConnections(dataSource(), getComponent().histories()));
    }

    /** Gives connections to the history in which a lane was claimed. */
    LaneConnections connections() {
        return new LaneConnections(dataSource(), getComponent().histories());
    }

    private DataSource dataSource() {
        if (getDataSource() == null) {
            throw new IllegalArgumentException(
                    "outbox:" + name + " has no data source: set camel.component.outbox.dataSource");
        }
        return getDataSource();
    }

    /** Takes the rows of a read: this is how camel-sql hands them to a consumer. */
    @Override
    public List<?> queryForList(ResultSet rows, boolean allowMapToClass) throws SQLException {
        return List.of(BatchRows.of(rows));
    }

    /** What the loop has to know of these options. */
    LoopSettings loopSettings() {
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

    public String getTypes() {
        return types;
    }

    public void setTypes(String types) {
        this.types = types;
    }

    public Order getOrder() {
        return order;
    }

    public void setOrder(Order order) {
        this.order = order;
    }

    public int getLanes() {
        return lanes;
    }

    public void setLanes(int lanes) {
        this.lanes = lanes;
    }

    public boolean isPipelined() {
        return pipelined;
    }

    public void setPipelined(boolean pipelined) {
        this.pipelined = pipelined;
    }

    public int getConcurrency() {
        return concurrency;
    }

    public void setConcurrency(int concurrency) {
        this.concurrency = concurrency;
    }

    public int getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(int batchSize) {
        this.batchSize = batchSize;
    }

    public long getBatchBytes() {
        return batchBytes;
    }

    public void setBatchBytes(long batchBytes) {
        this.batchBytes = batchBytes;
    }

    public int getWindow() {
        return window;
    }

    public void setWindow(int window) {
        this.window = window;
    }

    public long getSaveInterval() {
        return saveInterval;
    }

    public void setSaveInterval(long saveInterval) {
        this.saveInterval = saveInterval;
    }

    public long getMaxDelay() {
        return maxDelay;
    }

    public void setMaxDelay(long maxDelay) {
        this.maxDelay = maxDelay;
    }

    public String getStart() {
        return start;
    }

    public void setStart(String start) {
        this.start = start;
    }

    public long getBackoff() {
        return backoff;
    }

    public void setBackoff(long backoff) {
        this.backoff = backoff;
    }

    public long getMaxBackoff() {
        return maxBackoff;
    }

    public void setMaxBackoff(long maxBackoff) {
        this.maxBackoff = maxBackoff;
    }

    public int getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(int maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public long getMaxAge() {
        return maxAge;
    }

    public void setMaxAge(long maxAge) {
        this.maxAge = maxAge;
    }

    public String getOnDead() {
        return onDead;
    }

    public void setOnDead(String onDead) {
        this.onDead = onDead;
    }

    public boolean isEarlyAcknowledge() {
        return earlyAcknowledge;
    }

    public void setEarlyAcknowledge(boolean earlyAcknowledge) {
        this.earlyAcknowledge = earlyAcknowledge;
    }

    public String getType() {
        return type;
    }

    public void setType(String type) {
        this.type = type;
    }

    public String getAggregateType() {
        return aggregateType;
    }

    public void setAggregateType(String aggregateType) {
        this.aggregateType = aggregateType;
    }

    public String getAggregateId() {
        return aggregateId;
    }

    public void setAggregateId(String aggregateId) {
        this.aggregateId = aggregateId;
    }
}
