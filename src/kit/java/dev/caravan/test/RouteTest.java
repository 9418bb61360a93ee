package dev.caravan.test;

import dev.caravan.base.message.Message;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.tryout.DryRun;
import dev.caravan.routes.tryout.DryRunException;
import dev.caravan.routes.tryout.OutboxMessages;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.RoutesBuilder;
import org.apache.camel.main.Main;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.AssertionFailedError;

/**
 * Runs routes as a relay does, with a test outbox. Every endpoint that would connect to another process is replaced: what would be sent
 * is recorded, and the test sets what the destinations answer. No server and no database is needed.
 *
 * <p>A static field with {@code @RegisterExtension} starts the routes once for all tests of a class, and clears messages and answers
 * before each test. An instance field starts them for each test. Without JUnit, use try-with-resources.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RouteTest routes = RouteTest.of("routes/orders.camel.yaml").build();
 *
 * @Test
 * void an_order_reaches_the_partner() {
 *     TestedMessage order = routes.send(message("order.placed").key("order/7").payload("{\"total\": 7.50}"));
 *
 *     order.assertDelivered();
 *     assertEquals("{\"total\": 7.50}", order.http().text());
 * }
 * }</pre>
 *
 * <p>Messages are attempted one after another in a separate thread, in the order and with the retries of a relay. Time passes only
 * in {@link #retry}, which makes the next attempts. Two tests that run at the same time must not use the same object: the second one fails
 * with an {@link IllegalStateException}.
 */
public final class RouteTest
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback, AutoCloseable {
    private static final TestLanes NONE = new TestLanes(List.of());

    private final RouteTestBuilder setup;
    private final Report report;
    private final ScriptedAnswers answers = new ScriptedAnswers();
    /** The id of the test that uses this; null for none. */
    private final AtomicReference<String> user = new AtomicReference<>();
    /** What all routes have sent, in order. */
    private final List<Sent> sent = new ArrayList<>();

    private TestLanes lanes = NONE;
    private boolean sharedByTests;
    private DryRun run;
    private long lastNumber;
    private long lastRow;

    RouteTest(RouteTestBuilder setup) {
        this.setup = setup;
        report = new Report(setup.secrets());
    }

    /**
     * Tests the routes of these files.
     *
     * @param files YAML, XML or Java, relative to the working directory, which is the folder of the project for Maven and Gradle; or one
     *     folder, for all its routes
     * @throws IllegalArgumentException if a file does not exist
     */
    public static RouteTestBuilder of(String... files) {
        return RouteTestBuilder.of(files);
    }

    /** Tests the routes of these builders. The built-in error handling applies, unless {@link RouteTestBuilder#with} names another one. */
    public static RouteTestBuilder of(RoutesBuilder... builders) {
        return RouteTestBuilder.of(builders);
    }

    /**
     * Adds a message to the test outbox and delivers it: each route that reads its type makes the first attempt, unless an earlier message
     * of its key waits or the destination is unavailable.
     *
     * @throws AssertionError if a route does not end within the limit
     */
    public TestedMessage send(TestMessage message) {
        return sendAll(message).get(0);
    }

    /** Adds messages to the test outbox at the same time, and delivers them. A route with {@code batching} receives them in batches. */
    public synchronized List<TestedMessage> sendAll(TestMessage... messages) {
        start();
        List<TestedMessage> tested = Arrays.stream(messages)
                .map(message -> add(message, message.row(++lastNumber)))
                .toList();
        each(TestLane::deliver);
        return tested;
    }

    /**
     * Delivers the messages that were committed to the outbox of the {@link RouteTestBuilder#database database} since the start of
     * the test or the last call, in order of their ids. With this, a test can run the application code that writes the messages.
     *
     * @throws IllegalStateException if there is no database, or if it cannot be read
     */
    public synchronized List<TestedMessage> sendFromOutbox() {
        start();
        List<TestedMessage> tested = new ArrayList<>();
        for (Message row : newRows()) {
            TestMessage message = TestMessage.of(row);
            lastNumber = Math.max(lastNumber + 1, row.id());
            tested.add(add(message, message.row(lastNumber)));
        }
        each(TestLane::deliver);
        return tested;
    }

    private List<Message> newRows() {
        try {
            List<Message> rows = new OutboxMessages(setup.requireDatabase()).after(lastRow);
            lastRow = rows.isEmpty() ? lastRow : rows.get(rows.size() - 1).id();
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException("Could not read the outbox: " + e.getMessage(), e);
        }
    }

    /** If a route does not end, closes all routes, so that they are started again for the next test. */
    private void each(Consumer<TestLane> step) {
        try {
            lanes.each(step);
        } catch (AssertionFailedError e) {
            close();
            throw e;
        }
    }

    private TestedMessage add(TestMessage message, Message row) {
        return new TestedMessage(message, lanes.add(row), this);
    }

    /**
     * Sets what all destinations answer from now on, until the end of the test. By default they accept everything.
     *
     * @param inTurn one answer after the other; the last one is repeated
     */
    public void answer(Answer... inTurn) {
        answers.give("", inTurn);
    }

    /**
     * Sets what some destinations answer from now on. Later calls take precedence.
     *
     * @param destination a part of their address: of the method and URL, topic, recipients, statement, or URI of the endpoint
     * @param inTurn one answer after the other; the last one is repeated
     */
    public void answer(String destination, Answer... inTurn) {
        answers.give(destination, inTurn);
    }

    /**
     * Lets time pass until all waiting messages are due and an unavailable destination may be probed, and makes their next attempts, in
     * order.
     */
    public synchronized void retry() {
        start();
        each(TestLane::retry);
    }

    /**
     * Makes attempts until no message waits for one: each is delivered, dead, or behind a dead letter.
     *
     * @throws AssertionError if messages still wait after more attempts than a message may have, because their destination stays
     *     unavailable
     */
    public synchronized void retryToTheEnd() {
        start();
        int most = lanes.maxAttempts() + 20;
        for (int i = 0; lanes.mayRetry(); i++) {
            if (i == most) {
                throw Report.failure("Messages still wait after " + most
                        + " more attempts. While a destination is unavailable, attempts do not count, and messages wait"
                        + " without a limit.\n" + lanes.firstWaiting());
            }
            retry();
        }
    }

    /** What all attempts of this test sent to the destinations whose address contains a text, as in {@link #answer}, in order. */
    public synchronized List<Sent> sentTo(String destination) {
        return sent.stream()
                .filter(each -> each.destination().contains(destination))
                .toList();
    }

    /** Asserts that no route has sent anything in this test. */
    public synchronized void assertNothingSent() {
        if (!sent.isEmpty()) {
            throw Report.failure("Expected that nothing is sent, but this was sent:" + report.list(sent));
        }
    }

    /**
     * Asserts that each route delivered the messages of a key in the order in which they were sent. Of a message that was
     * delivered several times, only the last delivery counts, because it restores the order.
     *
     * @param key aggregate type and aggregate id, for example {@code order/7}
     * @throws AssertionError if the order is different, or if no route has delivered at least two messages of the key
     */
    public synchronized void assertOrder(String key) {
        lanes.problemOfOrder(key).ifPresent(problem -> {
            throw Report.failure(problem);
        });
    }

    /** Clears all messages, answers and message ids of idempotent consumers. Other state of steps and beans of the routes stays. */
    public synchronized void reset() {
        answers.clear();
        if (run != null) {
            run.forgetIds();
            openLanes();
        }
    }

    /** Loads the routes into a context that the caller starts and stops. @param configuration configures Camel Main before */
    CamelContext prepare(Consumer<Main> configuration) {
        begin(() -> DryRun.prepare(setup.options(answers).configure(configuration)));
        return run.context();
    }

    private void start() {
        if (run == null) {
            begin(() -> DryRun.start(setup.options(answers)));
        }
        if (lanes.isEmpty()) {
            openLanes();
        }
        if (lanes.isEmpty()) {
            close();
            throw new IllegalStateException("No route of " + setup.name() + " reads outbox:");
        }
    }

    private void begin(Supplier<DryRun> routes) {
        try {
            run = routes.get();
        } catch (DryRunException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private void openLanes() {
        sent.clear();
        lastNumber = 0;
        lanes = new TestLanes(run.routes().stream()
                .filter(setup::isTested)
                .map(route -> new TestLane(run, route, report, sent))
                .toList());
        if (setup.hasDatabase()) {
            newRows(); // of earlier tests
        }
    }

    /** Explains that no route reads a message, and which types each route reads. */
    String readers(TestMessage message) {
        return "No route reads messages of type " + message.type() + ": " + lanes.readers() + ".";
    }

    /** Stops the routes. They start again when a message is sent. */
    @Override
    public synchronized void close() {
        if (run != null) {
            run.close();
            run = null;
            lanes = NONE;
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        sharedByTests = true;
        start();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (!user.compareAndSet(null, context.getUniqueId())) {
            throw new IllegalStateException(
                    "Two tests use the same RouteTest at the same time. Make the field an instance"
                            + " field, or run the tests of this class one after another: @Execution(ExecutionMode.SAME_THREAD).");
        }
        reset();
        start();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        boolean wasUsed = user.compareAndSet(context.getUniqueId(), null); // not by a test that was refused
        if (wasUsed && !sharedByTests) {
            close();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }
}
