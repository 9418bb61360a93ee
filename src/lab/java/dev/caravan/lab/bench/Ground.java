package dev.caravan.lab.bench;

import dev.caravan.lab.servers.TemporaryFolder;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A database, topics and a folder that one run has for itself; all gone when closed. */
final class Ground implements AutoCloseable {
    /** How the database is dropped. */
    @FunctionalInterface
    interface Removal {
        void run() throws SQLException;
    }

    private final String name;
    private final Outbox outbox;
    private final String brokers;
    private final Removal removal;
    private final List<String> javaOptions;
    private final TemporaryFolder folder;
    private final Deque<Topic> topics = new ArrayDeque<>();

    Ground(String name, Outbox outbox, String brokers, List<String> javaOptions, Removal removal)
            throws java.io.IOException {
        this.name = name;
        this.outbox = outbox;
        this.brokers = brokers;
        this.removal = removal;
        this.javaOptions = javaOptions;
        folder = new TemporaryFolder("caravan-bench-");
    }

    Outbox outbox() {
        return outbox;
    }

    String brokers() {
        return brokers;
    }

    /** Where route files, settings and logs of the run go. */
    Path folder() {
        return folder.path();
    }

    /** What Java is told in each program under measurement. */
    List<String> javaOptions() {
        return javaOptions;
    }

    /** Creates a topic of this run. */
    Topic newTopic() {
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
