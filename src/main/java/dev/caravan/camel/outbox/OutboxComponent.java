package dev.caravan.camel.outbox;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.OptionValue;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.NearestName;
import dev.caravan.camel.guard.Classification;
import dev.caravan.camel.guard.MessageIds;
import dev.caravan.camel.guard.MethodsOfValues;
import dev.caravan.camel.guard.PartExchanges;
import dev.caravan.camel.monitoring.Upkeep;
import dev.caravan.camel.step.AnswerLimits;
import dev.caravan.database.Connections;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.DatabaseNotReady;
import dev.caravan.database.schema.DatabaseReadiness;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.engine.loop.Presence;
import dev.caravan.engine.loop.RelayName;
import dev.caravan.engine.loop.RelayParts;
import dev.caravan.engine.loop.RouteLanes;
import dev.caravan.engine.loop.WakeUp;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.Horizon;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.housekeeping.HousekeepingSettings;
import dev.caravan.operate.watch.Sampler;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.ResolveEndpointFailedException;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.PropertyConfigurer;
import org.apache.camel.spi.PropertyConfigurerGetter;
import org.apache.camel.spi.ShutdownStrategy;
import org.apache.camel.spi.annotations.Component;
import org.apache.camel.support.DefaultComponent;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.service.ServiceHelper;
import org.springframework.jdbc.core.JdbcTemplate;

/** Delivers the messages of a transactional outbox in Postgres to a route, and appends messages to it. */
@Component("outbox")
public class OutboxComponent extends DefaultComponent implements AnswerLimits {
    @Metadata(
            label = "common",
            autowired = true,
            description =
                    "The data source of the application that has the database of the outbox. Consumers do not use its"
                            + " connections: they open sessions of their own, with its URL, user and password, which are"
                            + " read anew for each session. Producers append messages with its connections, in the"
                            + " transaction of the application if there is one. Not needed if url is set.")
    private DataSource dataSource;

    @Metadata(
            label = "common",
            description =
                    "JDBC URL of the database of the outbox, if it is not that of a data source, or the data source"
                            + " cannot be read. Producers use sessions of the component then, and commit each message.")
    private String url;

    @Metadata(label = "security", secret = true, description = "User for url. Default: that in the url.")
    private String user;

    @Metadata(label = "security", secret = true, description = "Password for url. Default: that in the url.")
    private String password;

    @Metadata(
            label = "common",
            defaultValue = "public",
            description = "Schema of the tables of the outbox. The search path of the role is not used.")
    private String schema = OutboxSchema.PUBLIC.name();

    @Metadata(
            label = "common",
            description =
                    "Whether to create or upgrade the tables at start, before the first route. Several instances may start"
                            + " at once. Needs org.flywaydb:flyway-core and org.flywaydb:flyway-database-postgresql.")
    private boolean schemaAuto;

    @Metadata(
            label = "advanced",
            defaultValue = "true",
            description =
                    "Whether to check the tables, their sequence and the privileges once, at start. Set it to false if"
                            + " another program has checked them, as caravan run does.")
    private boolean schemaCheck = true;

    @Metadata(
            label = "consumer",
            defaultValue = "true",
            description =
                    "Whether to show by a separate database session that this process is running, so that another one takes"
                            + " over its lanes within about a second after a crash. Without it, a crashed process is taken"
                            + " over when its leases end.")
    private boolean presence = true;

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

    @Metadata(
            defaultValue = "true",
            description =
                    "Whether this instance may do housekeeping: create partitions, prune, delete old rows, advance jobs and"
                            + " bulk retries. Of all instances that share an outbox, one prunes and deletes; another one takes over"
                            + " when it ends.")
    private boolean housekeeping = true;

    @Metadata(
            defaultValue = "true",
            description =
                    "Whether this instance adds metrics to the registry of Micrometer and checks to the health registry of"
                            + " Camel, if they are present. For them it reads the state of all subscriptions every 5 s.")
    private boolean monitoring = true;

    @Metadata(
            defaultValue = "1000000",
            description = "Ids in each new partition of the outbox, from 1000 to 1000000000000.")
    private long partitionSize = 1_000_000;

    @Metadata(
            defaultValue = "7d",
            description =
                    "Minimum age of messages that are pruned, such as 12h, 7d or 30d, or off. Messages that a subscription"
                            + " needs are never pruned.")
    private String retention = "7d";

    @Metadata(
            defaultValue = "30d",
            description = "Time for which the message ids of idempotent consumers are stored, from 1d to 3650d.")
    private String idempotentRetention = "30d";

    @Metadata(defaultValue = "7d", description = "Time for which discarded dead letters are stored, from 0s to 3650d.")
    private String discardedRetention = "7d";

    @Metadata(defaultValue = "365d", description = "Time for which rows of the audit are stored, from 1d to 3650d.")
    private String auditRetention = "365d";

    @Metadata(
            label = "consumer",
            defaultValue = "true",
            description =
                    "Whether the built-in classification of failures applies to routes from outbox: which make a message a"
                            + " dead letter at once, which wait for the destination, and which are retried. The clauses of your routes"
                            + " come first. false if your application loads a route configuration with its own classification.")
    private boolean errorHandling = true;

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
    private final OutboxDatabase database = new OutboxDatabase(clock);
    /** Null unless a test sets it. */
    private DataSource laneConnections;

    private DataSource wakeUpConnections;
    private DataSource presenceConnections;
    private DataSource housekeepingConnections;
    private WakeUp wakeUp = new WakeUp(null, clock);
    /** Null before the first route. */
    private RelayParts parts;

    /** Null before the first start, and after a stop. */
    private Upkeep upkeep;

    private TailConsumer tailConsumer;
    private Presence running = Presence.off(clock);
    private RelayThreads threads = new RelayThreads();
    private Tracing tracing = Tracing.OFF;
    private Consumer<Sql> onDemand;

    @Override
    protected void doInit() throws Exception {
        super.doInit();
        SettingSecrets.of(getCamelContext());
        new ContextOptions(getCamelContext(), configurer()).set(this);
        PartExchanges.install(getCamelContext());
        if (errorHandling) {
            Classification.install(getCamelContext());
        }
        StepEndpoints.register(getCamelContext(), this);
        MethodsOfValues.bind(getCamelContext());
        ReachedRoutes.observe(getCamelContext());
        MessageIds.bind(getCamelContext(), OutboxComponent::placeOfIds);
        shareAnew();
    }

    /** Camel finds that of a subclass by another name. */
    private PropertyConfigurer configurer() {
        return getComponentPropertyConfigurer() == null
                ? PluginHelper.getConfigurerResolver(getCamelContext())
                        .resolvePropertyConfigurer("outbox-component", getCamelContext())
                : getComponentPropertyConfigurer();
    }

    /** A context that starts again initializes its components again. */
    private synchronized void shareAnew() {
        boolean isOpened = laneConnections == null && !isOnDemand();
        wakeUp = new WakeUp(isOpened ? database.wakeUp() : wakeUpConnections, clock);
        running = new Presence(isOpened && presence ? database.presence() : presenceConnections, histories, clock);
        parts = null;
        tailConsumer = null;
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        threads = new RelayThreads(); // a stop has closed the last ones
        if (!isOfApplication() || found().isPresent()) {
            openDatabase(); // otherwise only a route that needs it fails
        }
        wakeUp.start();
        getCamelContext().addStartupListener(Upkeep.atStart(this::upkeepIfNeeded));
    }

    @Override
    protected void doStop() throws Exception {
        try {
            stopUpkeep();
            stopTail();
            wakeUp.stop();
            running.stop();
            threads.close();
        } finally {
            database.close();
            super.doStop();
        }
    }

    private synchronized void openDatabase() throws SQLException {
        if (laneConnections == null && !isOnDemand() && !database.isOpen()) {
            try {
                database.open(connections(), check());
            } catch (DatabaseNotReady e) {
                throw new IllegalStateException(
                        "The component outbox cannot start. " + e.getMessage()
                                + (schemaAuto
                                        ? ""
                                        : "\nOr set the option schemaAuto, with which the component creates or upgrades the tables."),
                        e);
            }
        }
    }

    /** Null if nothing is to be checked. */
    private DatabaseReadiness check() {
        if (schemaAuto) {
            requireFlyway();
            return new DatabaseReadiness(connections().toMigrate(), true, TimeUnit.SECONDS::sleep);
        }
        return schemaCheck ? new DatabaseReadiness(connections().toCheck(), false, TimeUnit.SECONDS::sleep) : null;
    }

    private void requireFlyway() {
        for (String type :
                List.of("org.flywaydb.core.Flyway", "org.flywaydb.database.postgresql.PostgreSQLDatabaseType")) {
            if (getCamelContext().getClassResolver().resolveClass(type) == null) {
                throw new IllegalStateException(
                        "The option schemaAuto of the component outbox needs Flyway. Add the dependencies"
                                + " org.flywaydb:flyway-core and org.flywaydb:flyway-database-postgresql, or set schemaAuto to false and"
                                + " create the tables with: ./caravan schema apply");
            }
        }
    }

    /** The sessions with the database of the outbox, for what runs beside the lanes. */
    Connections connections() {
        return url == null ? Connections.of(ofApplication(), tables()) : Connections.of(url, user, password, tables());
    }

    private DataSource ofApplication() {
        return found().orElseThrow(this::noDatabase);
    }

    private Optional<DataSource> found() {
        if (dataSource == null && isAutowiredEnabled()) {
            dataSource =
                    getCamelContext().getRegistry().findSingleByType(DataSource.class); // may have been bound later
        }
        return Optional.ofNullable(dataSource);
    }

    /**
     * @throws IllegalArgumentException if the component has no database, or it is not clear which one
     * @throws SQLException if a database that was bound after the start refuses this user
     */
    void requireDatabase() throws SQLException {
        if (isOfApplication()) {
            ofApplication();
        }
        if (isStarted()) {
            openDatabase();
        }
    }

    private IllegalArgumentException noDatabase() {
        Set<String> names = new TreeSet<>(getCamelContext()
                .getRegistry()
                .findByTypeWithName(DataSource.class)
                .keySet());
        return new IllegalArgumentException(
                names.isEmpty()
                        ? "The component outbox has no data source, and the registry has none. Bind one, or set"
                                + " camel.component.outbox.url, camel.component.outbox.user and camel.component.outbox.password"
                        : "The component outbox does not know which data source has the outbox, because the registry has "
                                + names.size() + ": " + String.join(", ", names) + ". Set"
                                + " camel.component.outbox.dataSource=#bean:"
                                + names.iterator().next());
    }

    /** A route with another source uses the component that is named as its class, or else the first one. */
    private static MessageIds.Place placeOfIds(Exchange exchange) {
        if (exchange.getFromEndpoint() instanceof OutboxEndpoint outbox) {
            return new MessageIds.Place(outbox.getComponent().ofIds(), outbox.getName());
        }
        CamelContext context = exchange.getContext();
        OutboxComponent component = Stream.concat(
                        Stream.of("outbox"),
                        context.getComponentNames().stream().sorted())
                .map(context::hasComponent)
                .filter(OutboxComponent.class::isInstance)
                .map(OutboxComponent.class::cast)
                .findFirst()
                .orElseThrow();
        return new MessageIds.Place(component.ofIds(), exchange.getFromRouteId());
    }

    private DataSource ofIds() {
        return laneConnections == null && !isOnDemand()
                ? database.ids()
                : getCamelContext().getRegistry().lookupByNameAndType("dataSource", DataSource.class);
    }

    /** The connections of the lanes. */
    DataSource laneConnections() {
        return laneConnections == null ? database.lanes() : laneConnections;
    }

    /** What appends messages: with the connections of the application if it has a data source, otherwise with those of the lanes. */
    Consumer<Sql> appends(OutboxEndpoint endpoint) throws SQLException {
        if (isOnDemand()) {
            return onDemand;
        }
        requireDatabase();
        if (isOfApplication()) {
            return new AppendInTransaction("outbox:" + endpoint.getName(), ofApplication());
        }
        JdbcTemplate jdbc = endpoint.jdbc();
        return statement -> statement.update(jdbc);
    }

    /** Whether messages are appended with connections of the application. */
    boolean isOfApplication() {
        return laneConnections == null && url == null && !isOnDemand();
    }

    OutboxSchema tables() {
        return new OutboxSchema(schema);
    }

    /** Sets the connections of the lanes, which this component neither opens nor checks nor closes. For tests. */
    void setLaneConnections(DataSource connections) {
        laneConnections = connections;
    }

    /** Sets the connection for notifications of inserts, beside {@link #setLaneConnections}. Without it, subscriptions poll. For tests. */
    void setWakeUpConnections(DataSource connections) {
        wakeUpConnections = connections;
    }

    /** Sets the connection that shows that this process is running, beside {@link #setLaneConnections}. For tests. */
    void setPresenceConnections(DataSource connections) {
        presenceConnections = connections;
    }

    /** Sets the connections for housekeeping. For tests. */
    void setHousekeepingConnections(DataSource connections) {
        housekeepingConnections = connections;
    }

    /** Empty without a database, as in dry runs. */
    private Optional<Upkeep> upkeepIfNeeded() {
        return database.isOpen() ? Optional.of(upkeep()) : Optional.empty();
    }

    private synchronized Upkeep upkeep() {
        if (upkeep == null) {
            upkeep = new Upkeep(
                    getCamelContext(),
                    lanes,
                    housekeepingConnections == null ? database.housekeeping() : housekeepingConnections,
                    database.monitoring(),
                    new Upkeep.Options(
                            housekeeping,
                            monitoring,
                            housekeepingSettings(),
                            relay,
                            connections().longestWait()),
                    clock);
        }
        return upkeep;
    }

    private synchronized void stopUpkeep() {
        if (upkeep != null) {
            upkeep.close();
            upkeep = null;
        }
    }

    /** @throws SettingsException if an option is invalid */
    HousekeepingSettings housekeepingSettings() {
        return HousekeepingSettings.ofOptions(Map.of(
                "partitionSize", Long.toString(partitionSize),
                "retention", retention,
                "idempotentRetention", idempotentRetention,
                "discardedRetention", discardedRetention,
                "auditRetention", auditRetention));
    }

    /**
     * The sampler of the subscriptions, also of those that other instances work. It samples while the context runs, unless housekeeping and
     * monitoring are both false. Call it after the data source and the options are set.
     */
    public Sampler sampler() {
        return upkeep().sampler();
    }

    /** The samples of the last hour. */
    public RecentSamples recentSamples() {
        return upkeep().samples();
    }

    /** The lanes of the routes that run in this relay. */
    public RouteLanes lanes() {
        return lanes;
    }

    /** The histories of the connections of the lanes. */
    Histories histories() {
        return histories;
    }

    /** What the lanes of this relay share. */
    synchronized RelayParts parts() {
        if (parts == null) {
            parts = RelayParts.of(
                    laneConnections(),
                    histories,
                    relay,
                    Duration.ofMillis(leaseDuration),
                    running,
                    horizon,
                    wakeUp,
                    clock);
            running.listen(parts.tail()::wake); // the lanes save the new session
        }
        return parts;
    }

    /** Starts to read for all lanes; no effect if it is started. */
    synchronized TailConsumer startTail() {
        if (tailConsumer == null) {
            OutboxEndpoint endpoint = new OutboxEndpoint("outbox:tail", this, "tail");
            endpoint.setDataSource(laneConnections());
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
        return running;
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
        endpoint.setDataSource(laneConnections());
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
        return "unknown option " + name + NearestName.suggestion(name, known, ", remove it");
    }

    /** The problems with the options of the component itself, which apply to every subscription; empty if there are none. */
    public List<String> problems() {
        return ConsumerCheck.of(this);
    }

    public DataSource getDataSource() {
        return dataSource;
    }

    public void setDataSource(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public String getUrl() {
        return url;
    }

    public void setUrl(String url) {
        this.url = url;
    }

    public String getUser() {
        return user;
    }

    public void setUser(String user) {
        this.user = user;
    }

    public String getPassword() {
        return password;
    }

    public void setPassword(String password) {
        this.password = password;
    }

    public String getSchema() {
        return schema;
    }

    public void setSchema(String schema) {
        this.schema = schema;
    }

    public boolean isSchemaAuto() {
        return schemaAuto;
    }

    public void setSchemaAuto(boolean schemaAuto) {
        this.schemaAuto = schemaAuto;
    }

    public boolean isSchemaCheck() {
        return schemaCheck;
    }

    public void setSchemaCheck(boolean schemaCheck) {
        this.schemaCheck = schemaCheck;
    }

    public boolean isPresence() {
        return presence;
    }

    public void setPresence(boolean presence) {
        this.presence = presence;
    }

    public boolean isHousekeeping() {
        return housekeeping;
    }

    public void setHousekeeping(boolean housekeeping) {
        this.housekeeping = housekeeping;
    }

    public boolean isMonitoring() {
        return monitoring;
    }

    public void setMonitoring(boolean monitoring) {
        this.monitoring = monitoring;
    }

    public long getPartitionSize() {
        return partitionSize;
    }

    public void setPartitionSize(long partitionSize) {
        this.partitionSize = partitionSize;
    }

    public String getRetention() {
        return retention;
    }

    public void setRetention(String retention) {
        this.retention = retention;
    }

    public String getIdempotentRetention() {
        return idempotentRetention;
    }

    public void setIdempotentRetention(String retention) {
        idempotentRetention = retention;
    }

    public String getDiscardedRetention() {
        return discardedRetention;
    }

    public void setDiscardedRetention(String retention) {
        discardedRetention = retention;
    }

    public String getAuditRetention() {
        return auditRetention;
    }

    public void setAuditRetention(String retention) {
        auditRetention = retention;
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

    public boolean isErrorHandling() {
        return errorHandling;
    }

    public void setErrorHandling(boolean errorHandling) {
        this.errorHandling = errorHandling;
    }

    /** How long a stopping route waits for messages in flight: half of the time that Camel gives all routes to stop. */
    Duration stopTimeout() {
        ShutdownStrategy shutdown = getCamelContext().getShutdownStrategy();
        return Duration.of(shutdown.getTimeout(), shutdown.getTimeUnit().toChronoUnit())
                .dividedBy(2);
    }
}
