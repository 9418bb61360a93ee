package dev.caravan.engine.loop;

import dev.caravan.database.Sql;
import dev.caravan.engine.store.BatchRows;
import org.springframework.jdbc.core.JdbcTemplate;

/** A statement that a consumer polls, and the statement that saves progress after it. Used by one thread at a time. */
public interface PolledRead {
    /** The connections on which the consumer reads, and on which progress is saved. */
    JdbcTemplate jdbc();

    /** The statement of this poll, with its values; before the first one, the statement without values. */
    Sql statement();

    /** Takes the result of the statement. */
    void received(BatchRows rows);

    /** The text of the statement with which {@link #save} saves progress. */
    String onConsume();

    /** Saves what is due; returns whether this relay still owns what it reads for. */
    boolean save();
}
