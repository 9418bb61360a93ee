package dev.caravan.outbox;

import dev.caravan.clock.Clock;
import dev.caravan.headers.OutgoingHeaders;
import dev.caravan.lane.Lane;
import dev.caravan.loop.LaneFailures;
import dev.caravan.loop.RelayName;
import dev.caravan.loop.RouteLanes;
import dev.caravan.loop.WakeUp;
import dev.caravan.settings.OptionValue;
import dev.caravan.store.Histories;
import dev.caravan.store.Horizon;
import dev.caravan.text.NearestName;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.camel.Endpoint;
import org.apache.camel.ResolveEndpointFailedException;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.PropertyConfigurerGetter;
import org.apache.camel.spi.annotations.Component;
import org.apache.camel.support.DefaultComponent;

/** Delivers the messages of a transactional outbox in Postgres to a route, and appends messages to it. */
@Component("outbox")
public class OutboxComponent extends DefaultComponent {
    @Metadata(autowired = true, description = "Connections to the database of the outbox; each lane uses up to two.")
    private DataSource dataSource;

    @Metadata(
            label = "consumer",
            description = "Name of this relay, shown as the owner of a lease. By default host name and process id.")
    private String relay = RelayName.ofThisProcess();

    @Metadata(
            label = "consumer",
            javaType = "java.time.Duration",
            defaultValue = "10s",
            description =
                    "How long a lane stays with a relay that has stopped answering. A live relay renews three times in"
                            + " this time.")
    private long leaseDuration = Duration.ofSeconds(10).toMillis();

    @Metadata(
            label = "consumer",
            javaType = "java.time.Duration",
            defaultValue = "5s",
            description = "How long a stopping route waits for deliveries that are on their way.")
    private long stopTimeout = Duration.ofSeconds(5).toMillis();

    @Metadata(
            label = "consumer",
            description =
                    "A connection over which inserts wake this relay. With it subscriptions sleep while nothing is written;"
                            + " without it they only poll.")
    private DataSource wakeUpDataSource;

    /** How a subscription is polled is decided by what it finds, and by its lease. */
    private static final Set<String> OF_THE_SCHEDULER = Set.of(
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
    private Horizon horizon = new Horizon(Horizon.LOOK_INTERVAL, clock);
    private Duration refusedInterval = Lane.REFUSED_INTERVAL;
    private Duration firstWait = LaneFailures.FIRST_WAIT;
    private WakeUp wakeUp = new WakeUp(null, clock);
    private Tracing tracing = Tracing.OFF;
    private final OutgoingHeaders outgoing = new OutgoingHeaders();

    @Override
    protected void doInit() throws Exception {
        super.doInit();
        // Camel makes it when a step asks first: routes before that step would be built without PartSteps
        getCamelContext().getCamelContextExtension().getProcessorExchangeFactory();
        getCamelContext().getCamelContextExtension().registerEndpointCallback(outgoing);
        wakeUp = new WakeUp(wakeUpDataSource, clock);
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        wakeUp.start();
    }

    @Override
    protected void doStop() throws Exception {
        wakeUp.stop();
        super.doStop();
    }

    /** The lanes of this relay. */
    public RouteLanes lanes() {
        return lanes;
    }

    /** Of the connections that {@link #getDataSource()} gives. */
    Histories histories() {
        return histories;
    }

    /** Of the database that {@link #getDataSource()} leads to. */
    Horizon horizon() {
        return horizon;
    }

    /** By which the subscriptions of this relay sleep and are woken. */
    WakeUp wakeUp() {
        return wakeUp;
    }

    /** By which all lanes of this relay go. */
    Clock clock() {
        return clock;
    }

    Tracing tracing() {
        return tracing;
    }

    Duration refusedInterval() {
        return refusedInterval;
    }

    /** How soon what the database refused is stored again; to be called before any route starts. */
    void setRefusedInterval(Duration interval) {
        refusedInterval = interval;
    }

    Duration firstWait() {
        return firstWait;
    }

    /** How long a lane waits after its first failure; to be called before any route starts. */
    void setFirstWait(Duration wait) {
        firstWait = wait;
    }

    /** How often old transactions are looked for; to be called before any route starts. */
    void setHorizonInterval(Duration interval) {
        horizon = new Horizon(interval, clock);
    }

    /** To be called before any route starts. */
    public void setTracing(Tracing tracing) {
        this.tracing = tracing;
    }

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) throws Exception {
        OutboxEndpoint endpoint = new OutboxEndpoint(uri, this, remaining);
        requireReadable(uri, parameters);
        setProperties(endpoint, parameters);
        endpoint.setDataSource(dataSource);
        return endpoint;
    }

    /** Names all options that are unknown or cannot be read; Camel itself would take an unreadable number for 0. */
    private void requireReadable(String uri, Map<String, Object> parameters) {
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
        if (OF_THE_SCHEDULER.contains(name.replaceFirst("\\..*", "").toLowerCase(Locale.ROOT))) {
            return "option " + name
                    + " of Camel's scheduler cannot be used, because a subscription that is polled in another way"
                    + " could lose its lease; remove it (maxDelay limits the pauses between reads)";
        }
        return "unknown option " + name
                + NearestName.to(name, known)
                        .map(near -> ", did you mean " + near + "?")
                        .orElse(", remove it");
    }

    /** What is wrong with the options of the component itself, which hold for every subscription. */
    public List<String> problems() {
        return ConsumerCheck.of(this);
    }

    public DataSource getDataSource() {
        return dataSource;
    }

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

    public long getStopTimeout() {
        return stopTimeout;
    }

    public void setStopTimeout(long stopTimeout) {
        this.stopTimeout = stopTimeout;
    }

    public DataSource getWakeUpDataSource() {
        return wakeUpDataSource;
    }

    public void setWakeUpDataSource(DataSource wakeUpDataSource) {
        this.wakeUpDataSource = wakeUpDataSource;
    }
}
