package dev.caravan.lab.bench.run;

import dev.caravan.lab.servers.TemporaryFolder;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.camel.util.function.ThrowingRunnable;

/** The database, topics and folder of one run; close deletes them. */
public final class BenchRun implements AutoCloseable {
    private final String name;
    private final Outbox outbox;
    private final String brokers;
    private final ThrowingRunnable<SQLException> removal;
    private final List<String> javaOptions;
    private final TemporaryFolder folder;
    private final Deque<Topic> topics = new ArrayDeque<>();

    BenchRun(
            String name,
            Outbox outbox,
            String brokers,
            List<String> javaOptions,
            ThrowingRunnable<SQLException> removal)
            throws java.io.IOException {
        this.name = name;
        this.outbox = outbox;
        this.brokers = brokers;
        this.removal = removal;
        this.javaOptions = javaOptions;
        folder = new TemporaryFolder("caravan-bench-");
    }

    public Outbox outbox() {
        return outbox;
    }

    public String brokers() {
        return brokers;
    }

    /** The folder for route files, settings and logs of the run. */
    public Path folder() {
        return folder.path();
    }

    /** The Java options of each measured program. */
    public List<String> javaOptions() {
        return javaOptions;
    }

    /** Creates a topic for this run. */
    public Topic newTopic() {
        Topic topic = Topic.create(brokers, name + "-" + (topics.size() + 1));
        topics.push(topic);
        return topic;
    }

    @Override
    public void close() throws SQLException {
        outbox.close();
        removal.run();
        topics.forEach(Topic::close);
        folder.close();
    }
}
