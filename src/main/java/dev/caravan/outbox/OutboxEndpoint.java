package dev.caravan.outbox;

import dev.caravan.delivery.Order;
import dev.caravan.headers.OutboxConstants;
import dev.caravan.loop.LaneChoice;
import dev.caravan.loop.LaneFailures;
import dev.caravan.loop.LoopSettings;
import dev.caravan.loop.ReadPace;
import dev.caravan.rate.RateLimit;
import dev.caravan.route.EarlyAcknowledgement;
import dev.caravan.route.MessageIds;
import dev.caravan.store.BatchRows;
import dev.caravan.store.LaneConnections;
import dev.caravan.store.LaneId;
import dev.caravan.store.OutboxConnections;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
 * Delivers the messages of a transactional outbox in Postgres to a route, or appends messages to it. The class is long because
 * Camel requires the field, getter and setter of each option here. {@link EndpointSettings} converts the options.
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
            description =
                    "Consumer: name of the subscription; its progress is stored under this name. Producer: name of the"
                            + " step that appends; part of the message ids that it generates.")
    @Metadata(required = true)
    private final String name;

    @UriParam(
            label = "consumer",
            defaultValue = "*",
            description =
                    "Message types to deliver, separated by commas; * matches any characters. Messages of other types"
                            + " count as delivered.")
    private String types = "*";

    @UriParam(
            label = "consumer",
            defaultValue = "key",
            enums = "key,strict,none",
            description = "Which messages wait for each other: those of one key (key), all (strict), or none (none).")
    private Order order = Order.key;

    @UriParam(
            label = "consumer",
            defaultValue = "1",
            description =
                    "Number of lanes into which the subscription is split by its keys (1 to 64), so that several relays can"
                            + " share it. The other limits apply to each lane. Must be 1 in order strict. To change an existing"
                            + " subscription, use the command subscriptions lanes.")
    private int lanes = 1;

    @UriParam(
            label = "consumer",
            description =
                    "Start the messages of a key without waiting for the previous one. For destinations that keep the order"
                            + " of what they receive, such as Kafka. If a message fails, the later ones of its key are sent again.")
    private boolean pipelined;

    @UriParam(
            label = "consumer",
            description =
                    "Skip a message whose id this subscription has delivered before. The ids of delivered messages are stored in"
                            + " outbox_idempotent. Not with batching.")
    private boolean idempotent;

    @UriParam(
            label = "consumer",
            description =
                    "Deliver several messages with one exchange, whose body is a list of messages. If the exchange fails, they are"
                            + " sent again in smaller batches, until the message that cannot be delivered is alone.")
    private boolean batching;

    @UriParam(
            label = "consumer",
            defaultValue = "500",
            description = "With batching: maximum number of messages of a batch (1 to 10000).")
    private int batchMaxMessages = 500;

    @UriParam(
            label = "consumer",
            defaultValue = "1048576",
            description =
                    "With batching: approximate maximum size of a batch in bytes (1024 to 1073741824); a single larger"
                            + " message is still sent.")
    private long batchMaxBytes = 1 << 20;

    @UriParam(
            label = "consumer",
            defaultValue = "0ms",
            javaType = "java.time.Duration",
            description =
                    "With batching: for how long a message waits for others, if the batch would not be full (at most 1h)."
                            + " Without a wait, batches grow only while earlier ones are in flight.")
    private long batchMaxWait;

    @UriParam(
            label = "consumer",
            defaultValue = "10",
            description =
                    "Maximum number of messages, or with batching of batches, in flight (1 to 1000). Not used with"
                            + " pipelined.")
    private int concurrency = 10;

    @UriParam(
            label = "consumer",
            defaultValue = "4194304",
            description =
                    "Approximate maximum size of one read in bytes (1024 to 1073741824); a single larger message is still"
                            + " read. At most four times as many bytes are kept in memory.")
    private long batchBytes = 4 << 20;

    @UriParam(
            label = "consumer,advanced",
            defaultValue = "10000",
            description = "Maximum number of messages taken and not finished (1 to 1000000).")
    private int window = 10_000;

    @UriParam(
            label = "consumer",
            defaultValue = "100ms",
            javaType = "java.time.Duration",
            description =
                    "The longest time between two saves of progress while messages are delivered. After a crash, messages"
                            + " in flight or finished since the last save are delivered again.")
    private long saveInterval = 100;

    @UriParam(
            label = "consumer",
            defaultValue = "earliest",
            description =
                    "Where a new subscription starts: earliest, latest, an id of the outbox, or a time in ISO 8601 such as"
                            + " 2026-01-31T00:00:00Z. An existing subscription continues at its position.")
    private String start = "earliest";

    @UriParam(
            label = "consumer",
            defaultValue = "1s",
            javaType = "java.time.Duration",
            description = "The wait before the second attempt; four times as long after each further failure.")
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
                    "Number of failed attempts after which a message is dead (1 to 1000). Attempts while the destination is"
                            + " unavailable do not count. With the default backoff, ten attempts take about a day.")
    private int maxAttempts = 10;

    @UriParam(
            label = "consumer",
            defaultValue = "7d",
            javaType = "java.time.Duration",
            description = "A message that fails again this long after its first failure is dead.")
    private long maxAge = Duration.ofDays(7).toMillis();

    @UriParam(
            label = "consumer",
            defaultValue = "continue",
            enums = "continue,block",
            description =
                    "In order key: what happens to the later messages of a key after a dead letter. They follow (continue),"
                            + " or wait until a person retries or discards the dead letter (block).")
    private String onDead = "continue";

    @UriParam(
            label = "consumer",
            description =
                    "The largest number of attempts in a time, for example 50/s, 100/min or 500/h, over all lanes and relays of"
                            + " the subscription. Default: no limit.")
    private String rate;

    @UriParam(
            label = "consumer",
            description =
                    "With rate: the number of attempts that may start at once after a pause (1 to 1000000, at least lanes)."
                            + " Default: what rate allows in a tenth of a second, at least one for each lane.")
    private Integer burst;

    @UriParam(
            label = "consumer,advanced",
            description =
                    "Allow steps that end the route before the message is delivered, such as wireTap, aggregate and seda. A"
                            + " message that fails in them afterwards is lost.")
    private boolean earlyAcknowledge;

    @UriParam(label = "producer", description = "Type of the appended message. Required.")
    private String type;

    @UriParam(
            label = "producer",
            description = "Aggregate type of the appended message. Default: that of the message in the route.")
    private String aggregateType;

    @UriParam(
            label = "producer",
            description = "Aggregate id of the appended message. Default: that of the message in the route.")
    private String aggregateId;

    @UriParam(
            label = "producer",
            description = "Whether the body is appended as bytes, for example Avro or Protobuf, and not as JSON.")
    private boolean binary;

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
        if (rate != null && rateLimit == null) {
            rateLimit = EndpointSettings.rateLimit(this);
        }
        return Optional.ofNullable(rateLimit);
    }

    @Override
    public OutboxComponent getComponent() {
        return (OutboxComponent) super.getComponent();
    }

    /** The problems with the options of this endpoint when a route reads from it; empty if there are none. */
    public List<String> problems() {
        return ConsumerCheck.of(this);
    }

    /** The problems with the steps of a route that reads this endpoint; empty if there are none or {@code earlyAcknowledge} is set. */
    public List<String> problems(RouteDefinition route) {
        boolean orderedBatches = batching && order != Order.none;
        return earlyAcknowledge
                ? List.of()
                : EarlyAcknowledgement.problems(getCamelContext(), route, pipelined, batching, orderedBatches);
    }

    @Override
    public Consumer createConsumer(Processor route) throws Exception {
        ConsumerCheck.require(this);
        Processor processor = idempotent ? MessageIds.skipRepeats(getCamelContext(), route) : route;
        if (getComponent().isOnDemand()) {
            return new OnDemandConsumer(this, processor);
        }
        if (lanes > 1) {
            return new LanesConsumer(this, processor, this::configureLane);
        }
        OutboxConsumer consumer =
                new OutboxConsumer(LaneParts.of(this, LaneId.only(name), LaneChoice.ONLY_LANE, failures()), processor);
        configureLane(consumer);
        return consumer;
    }

    /** Creates the failures that the lanes of one consumer share. */
    LaneFailures failures() {
        return new LaneFailures(name, getComponent().firstWait());
    }

    /** Not supported: a poll, as by pollEnrich, does not report whether the message was delivered. */
    @Override
    public PollingConsumer createPollingConsumer() {
        throw new UnsupportedOperationException(
                "outbox:" + name
                        + " cannot be polled, because a poll does not report whether the message was delivered: write a route from it");
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
                    "outbox:" + name + " needs the option type, the type of the appended message,"
                            + " for example outbox:" + name + "?type=order.created");
        }
        return new OutboxProducer(this, jdbc());
    }

    /** Uses connections to the newest history of the database. */
    JdbcTemplate jdbc() {
        if (getComponent().isOnDemand()) {
            return new JdbcTemplate(dataSource());
        }
        return new JdbcTemplate(
                new OutboxConnections(dataSource(), getComponent().histories()));
    }

    /** Connections to the history in which a lane was claimed. */
    LaneConnections connections() {
        return new LaneConnections(dataSource(), getComponent().histories());
    }

    private DataSource dataSource() {
        if (getDataSource() == null) {
            throw new IllegalArgumentException("outbox:" + name + " has no data source: OutboxComponent needs one");
        }
        return getDataSource();
    }

    /** Converts the rows of a read; camel-sql calls this for its consumer. */
    @Override
    public List<?> queryForList(ResultSet rows, boolean allowMapToClass) throws SQLException {
        return List.of(BatchRows.of(rows));
    }

    /** These options as settings of the loop. */
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

    public boolean isIdempotent() {
        return idempotent;
    }

    public void setIdempotent(boolean idempotent) {
        this.idempotent = idempotent;
    }

    public boolean isBatching() {
        return batching;
    }

    public void setBatching(boolean batching) {
        this.batching = batching;
    }

    public int getBatchMaxMessages() {
        return batchMaxMessages;
    }

    public void setBatchMaxMessages(int batchMaxMessages) {
        this.batchMaxMessages = batchMaxMessages;
    }

    public long getBatchMaxBytes() {
        return batchMaxBytes;
    }

    public void setBatchMaxBytes(long batchMaxBytes) {
        this.batchMaxBytes = batchMaxBytes;
    }

    public long getBatchMaxWait() {
        return batchMaxWait;
    }

    public void setBatchMaxWait(long batchMaxWait) {
        this.batchMaxWait = batchMaxWait;
    }

    public int getConcurrency() {
        return concurrency;
    }

    public void setConcurrency(int concurrency) {
        this.concurrency = concurrency;
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

    public String getRate() {
        return rate;
    }

    public void setRate(String rate) {
        this.rate = rate;
    }

    public Integer getBurst() {
        return burst;
    }

    public void setBurst(Integer burst) {
        this.burst = burst;
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

    public boolean isBinary() {
        return binary;
    }

    public void setBinary(boolean binary) {
        this.binary = binary;
    }
}
