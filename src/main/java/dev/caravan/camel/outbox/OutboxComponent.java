package dev.caravan.camel.outbox;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.OptionValue;
import dev.caravan.base.text.NearestName;
import dev.caravan.camel.guard.MemoryQueues;
import dev.caravan.camel.guard.MessageIds;
import dev.caravan.camel.guard.PartExchanges;
import dev.caravan.camel.step.AnswerLimits;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.engine.loop.Presence;
import dev.caravan.engine.loop.RelayName;
import dev.caravan.engine.loop.RelayParts;
import dev.caravan.engine.loop.RouteLanes;
import dev.caravan.engine.loop.WakeUp;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.Horizon;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.camel.Endpoint;
import org.apache.camel.ResolveEndpointFailedException;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.PropertyConfigurerGetter;
import org.apache.camel.spi.ShutdownStrategy;
import org.apache.camel.spi.annotations.Component;
import org.apache.camel.support.DefaultComponent;
import org.apache.camel.support.service.ServiceHelper;

/** Delivers the messages of a transactional outbox in Postgres to a route, and appends messages to it. */
@Component("outbox")
public class OutboxComponent extends DefaultComponent implements AnswerLimits {
    @Metadata(
            label = "consumer",
            description = "Name of this relay, shown as the owner of a lease. Default: host name and process id.")
    private String relay = RelayName.ofThisProcess();

    @Metadata(
            label = "consumer",
            javaType = "java.time.Duration",
            defaultValue = "10s",
            description =
                    "Time after which another relay may take over a lane whose relay no longer answers. A running relay"
                            + " renews its leases three times in this time.")
    private long leaseDuration = Duration.ofSeconds(10).toMillis();

    @Metadata(
            label = "consumer",
            javaType = "java.time.Duration",
            defaultValue = "5m",
            description =
                    "Time after which an attempt to send over HTTP or SMTP ends, from the connection to the end of the answer."
                            + " A longer responseTimeout of a step takes precedence.")
    private long attemptTimeout = Duration.ofMinutes(5).toMillis();

    @Metadata(
            label = "consumer",
            defaultValue = "1048576",
            description =
                    "Length of an answer over HTTP, uncompressed, beyond which it is not read. The attempt has the result"
                            + " of its status; a step that reads the body of a longer answer fails.")
    private int maxAnswerBytes = 1024 * 1024;

    /** Options of Camel's scheduler. They are refused because {@link dev.caravan.engine.loop.ReadPace} determines the pauses. */
    private static final Set<String> SCHEDULER_OPTIONS = Set.of(
            "greedy",
            "initialdelay",
            "delay",
            "timeunit",
            "usefixeddelay",
            "backoffmultiplier",
            "backoffidlethreshold",
            "backofferrorthreshold",
            "repeatcount",
            "startscheduler",
            "scheduler",
            "schedulerproperties",
            "scheduledexecutorservice");

    private final RouteLanes lanes = new RouteLanes();
    private final Histories histories = new Histories();
    private final Clock clock = Clock.SYSTEM;
    private Horizon horizon = new Horizon(Horizon.INTERVAL, clock);
    private Duration refusedInterval = Lane.REFUSED_INTERVAL;
    private Duration firstWait = LaneFailures.FIRST_WAIT;
    private DataSource dataSource;
    private DataSource wakeUpDataSource;
    private WakeUp wakeUp = new WakeUp(null, clock);
    /** Null before the first route. */
    private RelayParts parts;

    private TailConsumer tailConsumer;
    private DataSource presenceDataSource;
    private Presence presence = Presence.off(clock);
    private RelayThreads threads = new RelayThreads();
    private Tracing tracing = Tracing.OFF;
    private Consumer<Sql> onDemand;

    @Override
    protected void doInit() throws Exception {
        super.doInit();
        PartExchanges.install(getCamelContext());
        getCamelContext()
                .getCamelContextExtension()
                .registerEndpointCallback(new StepEndpoints(getCamelContext(), this));
        getCamelContext().getCamelContextExtension().registerEndpointCallback(new MemoryQueues());
        getCamelContext().addLifecycleStrategy(new ReachedRoutes(getCamelContext()));
        MessageIds.bind(getCamelContext());
        wakeUp = new WakeUp(wakeUpDataSource, clock);
        presence = new Presence(presenceDataSource, histories, clock);
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        threads = new RelayThreads(); // a stop has closed the last ones
        wakeUp.start();
    }

    @Override
    protected void doStop() throws Exception {
        stopTail();
        wakeUp.stop();
        presence.stop();
        threads.close();
        super.doStop();
    }

    /** The lanes of the routes that run in this relay. */
    public RouteLanes lanes() {
        return lanes;
    }

    /** The histories of the connections of {@link #getDataSource()}. */
    Histories histories() {
        return histories;
    }

    /** What the lanes of this relay share. */
    synchronized RelayParts parts() {
        if (parts == null) {
            parts = RelayParts.of(
                    dataSource, histories, relay, Duration.ofMillis(leaseDuration), presence, horizon, wakeUp, clock);
            presence.listen(parts.tail()::wake); // the lanes save the new session
        }
        return parts;
    }

    /** Starts to read for all lanes; no effect if it is started. */
    synchronized TailConsumer startTail() {
        if (tailConsumer == null) {
            OutboxEndpoint endpoint = new OutboxEndpoint("outbox:tail", this, "tail");
            endpoint.setDataSource(dataSource);
            tailConsumer = endpoint.tailConsumer(parts.tail());
        }
        ServiceHelper.startService(tailConsumer);
        return tailConsumer;
    }

    private synchronized void stopTail() {
        ServiceHelper.stopService(tailConsumer);
    }

    RelayThreads threads() {
        return threads;
    }

    /** Whether this relay, and those that own other lanes, are running. */
    public Presence presence() {
        return presence;
    }

    /**
     * Sets the data source of the connection that shows that this relay is running. Each connection must have its own session.
     * Without it, a crashed relay is taken over when its leases end. Call it before the component is initialized.
     */
    public void setPresenceDataSource(DataSource source) {
        presenceDataSource = source;
    }

    /** The clock of all lanes of this relay. */
    Clock clock() {
        return clock;
    }

    Tracing tracing() {
        return tracing;
    }

    Duration refusedInterval() {
        return refusedInterval;
    }

    /** Sets the interval for storing refused changes again. Call it before a route starts. */
    void setRefusedInterval(Duration interval) {
        refusedInterval = interval;
    }

    Duration firstWait() {
        return firstWait;
    }

    /** Sets how long a lane waits after its first failure. Call it before a route starts. */
    void setFirstWait(Duration wait) {
        firstWait = wait;
    }

    /** Sets the interval of the query for old transactions. Call it before a route starts. */
    void setHorizonInterval(Duration interval) {
        horizon = new Horizon(interval, clock);
    }

    /** Sets what receives the start and the end of each attempt. Call it before a route starts. */
    public void setTracing(Tracing tracing) {
        this.tracing = tracing;
    }

    boolean isOnDemand() {
        return onDemand != null;
    }

    /** Receives the statements that append messages. */
    Consumer<Sql> onDemand() {
        return onDemand;
    }

    /**
     * Makes routes receive only the messages that are given to {@link OnDemandConsumer}, for dry runs and tests of routes. Nothing is
     * read from a database. Call it before a route starts.
     *
     * @param appends receives the statements that append messages, in place of the database
     */
    public void setOnDemand(Consumer<Sql> appends) {
        onDemand = appends;
    }

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) throws Exception {
        OutboxEndpoint endpoint = new OutboxEndpoint(uri, this, remaining);
        requireValid(uri, parameters);
        setProperties(endpoint, parameters);
        endpoint.setDataSource(dataSource);
        return endpoint;
    }

    /** Reports all options that are unknown or have an invalid value. Camel itself would read an invalid number as 0. */
    private void requireValid(String uri, Map<String, Object> parameters) {
        var options = (PropertyConfigurerGetter) getEndpointPropertyConfigurer();
        Set<String> known = getCamelContext()
                .getCamelContextExtension()
                .getEndpointUriFactory("outbox")
                .propertyNames();
        String problems = new TreeMap<>(parameters)
                .entrySet().stream()
                        .map(option -> {
                            Class<?> type = options.getOptionType(option.getKey(), true);
                            return type == null
                                    ? Optional.of(unknown(option.getKey(), known))
                                    : OptionValue.problem(type, String.valueOf(option.getValue()))
                                            .map(problem -> option.getKey() + " " + problem);
                        })
                        .flatMap(Optional::stream)
                        .collect(Collectors.joining("; "));
        if (!problems.isEmpty()) {
            throw new ResolveEndpointFailedException(uri, problems);
        }
    }

    private static String unknown(String name, Set<String> known) {
        if (SCHEDULER_OPTIONS.contains(name.replaceFirst("\\..*", "").toLowerCase(Locale.ROOT))) {
            return "option " + name
                    + " of Camel's scheduler cannot be used, because with other pauses a subscription could lose its"
                    + " lease; remove it";
        }
        return "unknown option " + name
                + NearestName.to(name, known)
                        .map(near -> ", did you mean " + near + "?")
                        .orElse(", remove it");
    }

    /** The problems with the options of the component itself, which apply to every subscription; empty if there are none. */
    public List<String> problems() {
        return ConsumerCheck.of(this);
    }

    public DataSource getDataSource() {
        return dataSource;
    }

    /** Sets the connections to the database of the outbox. All lanes share them. Call it before a route is added. */
    public void setDataSource(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public String getRelay() {
        return relay;
    }

    public void setRelay(String relay) {
        this.relay = relay;
    }

    public long getLeaseDuration() {
        return leaseDuration;
    }

    public void setLeaseDuration(long leaseDuration) {
        this.leaseDuration = leaseDuration;
    }

    @Override
    public long getAttemptTimeout() {
        return attemptTimeout;
    }

    public void setAttemptTimeout(long attemptTimeout) {
        this.attemptTimeout = attemptTimeout;
    }

    @Override
    public int getMaxAnswerBytes() {
        return maxAnswerBytes;
    }

    public void setMaxAnswerBytes(int maxAnswerBytes) {
        this.maxAnswerBytes = maxAnswerBytes;
    }

    /**
     * Sets the data source of the connection that receives the notifications of inserts. Without it, subscriptions poll and never
     * sleep. Call it before the component is initialized.
     */
    public void setWakeUpDataSource(DataSource source) {
        wakeUpDataSource = source;
    }

    /** How long a stopping route waits for messages in flight: half of the time that Camel gives all routes to stop. */
    Duration stopTimeout() {
        ShutdownStrategy shutdown = getCamelContext().getShutdownStrategy();
        return Duration.of(shutdown.getTimeout(), shutdown.getTimeUnit().toChronoUnit())
                .dividedBy(2);
    }
}
