package dev.caravan.adopt.capture;

import static dev.caravan.adopt.capture.BackfillFixture.complete;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.camel.outbox.TestOutbox;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process is killed before one of its statements, and a second one continues. */
class KilledBackfillIT {
    private static final Set<String> ROUND_TRIPS = Set.of("execute", "executeQuery", "executeUpdate", "commit");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {10, 20, 30})
    void the_result_is_the_same_if_the_first_process_dies_in_the_middle(int statement) throws Exception {
        try (TestOutbox database = TestOutbox.create()) {
            assertThat(resultIsTheSameAfterTheEndBefore(statement, new BackfillFixture(database, folder)))
                    .isTrue();
        }
    }

    @Test
    @Tag("long")
    void the_result_is_the_same_wherever_the_first_process_dies() throws Exception {
        try (TestOutbox database = TestOutbox.create()) {
            BackfillFixture shop = new BackfillFixture(database, folder);
            int statement = 1;
            while (resultIsTheSameAfterTheEndBefore(statement, shop)) {
                statement++;
            }
            assertThat(statement - 1).as("statements of a backfill").isGreaterThan(30);
        }
    }

    /** Returns whether there was such a statement. */
    private static boolean resultIsTheSameAfterTheEndBefore(int statement, BackfillFixture shop) throws Exception {
        TestOutbox database = shop.database;
        Path file = shop.file(BackfillFixture.BOOKINGS);
        boolean killed = false;
        reset(shop);
        try (HikariDataSource first = database.pool()) {
            runAndChange(BackfillFixture.backfill(killedAt(first, statement), file), database);
        } catch (Killed e) {
            killed = true;
        }
        // where it was killed before, the row is changed now
        database.execute("update shop.bookings set v = 'x' where id = 2 and v <> 'x'");
        try (HikariDataSource second = database.pool()) {
            complete(BackfillFixture.backfill(second, file), 3);
        }
        assertThat(last(database))
                .as("before statement " + statement)
                .containsExactly("1 old 1", "2 x", "3 old 3", "4 old 4");
        assertThat(shop.messages()).doesNotHaveDuplicates();
        assertThat(database.number("select count(*) from outbox where type = 'booking.snapshot'"))
                .isBetween(3L, 4L);
        return killed;
    }

    private static void reset(BackfillFixture shop) throws SQLException {
        new Captures(shop.database.dataSource()).remove("bookings");
        shop.database.execute("truncate shop.bookings, outbox");
        shop.insertRows(4);
    }

    /** One row is changed with a message after the first chunk, and one without. */
    private static void runAndChange(Backfill backfill, TestOutbox database) throws SQLException {
        try (backfill) {
            backfill.begin(false);
            backfill.next(1);
            database.execute(
                    "update shop.bookings set v = 'x' where id = 2; update shop.bookings set v = v where id = 4");
            BackfillFixture.finish(backfill, 3);
        }
    }

    private static List<String> last(TestOutbox database) {
        return database.jdbc()
                .queryForList(
                        "select distinct on (aggregate_id) aggregate_id || ' ' || (payload ->> 'v') from outbox"
                                + " order by aggregate_id, id desc",
                        String.class);
    }

    /** Connections of which one is cut at a statement; none works after that. */
    private static DataSource killedAt(DataSource source, int statement) {
        Kill kill = new Kill(statement);
        return proxy(DataSource.class, (method, arguments) -> {
            Object result = method.invoke(source, arguments);
            return result instanceof Connection connection ? kill.connection(connection) : result;
        });
    }

    private static final class Kill {
        private int left;

        Kill(int statement) {
            this.left = statement;
        }

        Connection connection(Connection real) {
            return proxy(Connection.class, (method, arguments) -> {
                Object result = call(real, method, real, arguments);
                return result instanceof Statement statement
                        ? statement(real, statement, method.getReturnType())
                        : result;
            });
        }

        private Object statement(Connection connection, Statement real, Class<?> type) {
            return proxy(type, (method, arguments) -> call(connection, method, real, arguments));
        }

        private Object call(Connection connection, Method method, Object target, Object[] arguments) throws Exception {
            if (ROUND_TRIPS.contains(method.getName()) && --left <= 0) {
                connection.abort(Runnable::run);
                throw new Killed();
            }
            return method.invoke(target, arguments);
        }
    }

    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private interface Call {
        Object to(Method method, Object[] arguments) throws Exception;
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<?> type, Call call) {
        return (T) Proxy.newProxyInstance(
                KilledBackfillIT.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return call.to(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
