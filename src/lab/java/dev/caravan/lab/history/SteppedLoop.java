package dev.caravan.lab.history;

import dev.caravan.engine.loop.PolledRead;
import dev.caravan.engine.store.BatchRows;
import java.sql.Connection;

/** A loop of a relay on a stepped thread: of a lane, or of the tail that lanes follow. */
interface SteppedLoop extends AutoCloseable {
    SteppedThread thread();

    /** One turn of the loop. */
    Object turn() throws Exception;

    @Override
    default void close() {
        thread().close();
    }

    /** Reads and saves, in place of camel-sql. */
    static Object read(PolledRead loop) {
        loop.received(loop.jdbc().execute((Connection connection) -> {
            try (var read = loop.statement().prepared(connection);
                    var rows = read.executeQuery()) {
                return BatchRows.of(rows);
            }
        }));
        loop.save();
        return null;
    }
}
