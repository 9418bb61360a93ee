package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

/** Relays that share the lanes of one subscription, on a real database. */
abstract class SharedLanesFixture {
    static final int KEYS = 40;
    static final String FOUR_LANES = "orders?lanes=4&concurrency=3";
    final TestDestination destination = new TestDestination();
    final List<TestRelay> relays = new ArrayList<>();
    final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
        }
    }

    TestRelay start(String name, String uri) throws Exception {
        return start(name, uri, outbox.pool());
    }

    TestRelay start(String name, String uri, DataSource dataSource) throws Exception {
        TestRelay relay = TestRelay.start(dataSource, uri, destination, component -> {
            component.setRelay(name);
            component.setLeaseDuration(3_000);
            component.setFirstWait(Duration.ofMillis(100));
        });
        relays.add(relay);
        return relay;
    }

    void stop(int index) throws Exception {
        relays.remove(index).close();
    }

    /** The number of lanes that each relay owns. */
    Map<String, Long> shares() {
        Map<String, Long> shares = new TreeMap<>();
        outbox.jdbc()
                .query(
                        "select owner, count(*) from outbox_subscription where lease_until > clock_timestamp() group by owner",
                        row -> {
                            shares.put(row.getString(1), row.getLong(2));
                        });
        return shares;
    }

    void passedAll() throws Exception {
        passed(outbox.number("select max(id) from outbox"));
    }

    void passed(long position) throws Exception {
        eventually(() -> assertThat(outbox.text("select bool_and(position >= " + position
                        + " and isempty(gaps) and older_gaps is null)::text" + " from outbox_subscription"))
                .isEqualTo("true"));
    }

    void arrivedOnceAndInOrder(long messages) {
        assertThat(destination.ids()).doesNotHaveDuplicates().hasSize((int) messages);
        for (int key = 0; key <= KEYS; key++) {
            assertThat(destination.idsOf("k" + key)).as("key %d", key).isSorted();
        }
    }

    static List<Long> ids(long first, long last) {
        return java.util.stream.LongStream.rangeClosed(first, last).boxed().toList();
    }

    /** Writes continuously: three transactions side by side that lock their key, one in ten rolled back. */
    final class Application implements AutoCloseable {
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();

        Application() {
            for (int thread = 0; thread < 3; thread++) {
                int first = thread;
                threads.add(new Thread(() -> write(first)));
            }
            threads.forEach(Thread::start);
        }

        private void write(int thread) {
            for (int n = 0; !stopped.get(); n++) {
                int key = thread + 3 * (n % (KEYS / 3)); // a key belongs to one thread
                try (var connection = outbox.unpooled().getConnection()) {
                    var transaction = new ApplicationTransaction(connection);
                    for (int message = 0; message < 5; message++) {
                        transaction.insert("k" + key);
                    }
                    if (n % 10 == 0) {
                        transaction.rollback();
                    } else {
                        transaction.commit();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        void awaitMore(int messages) throws Exception {
            int now = destination.ids().size();
            eventually(() -> assertThat(destination.ids()).hasSizeGreaterThan(now + messages));
        }

        void stop() throws InterruptedException {
            stopped.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }

        @Override
        public void close() throws InterruptedException {
            stop();
        }
    }
}
