package dev.caravan.operate.partition;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A name for a new table in the schema of the outbox. Any role that may create there can take the usual name before; the new table then gets
 * another one, and nothing is done with what has the usual name.
 *
 * @param name the usual name, or that with a random end
 * @param taken what has the usual name, and whose it is; empty if it is free
 */
record FreeName(String name, Optional<String> taken) {
    private static final Logger LOG = LoggerFactory.getLogger(FreeName.class);

    static FreeName of(Connection connection, String usual) throws SQLException {
        return Sql.file("operate/free_name")
                .with("name", usual)
                .first(connection, FreeName.class)
                .orElseThrow();
    }

    /** Warns of the first one of them that is taken. Call it when the tables have the names. */
    static void reportTaken(FreeName... names) {
        Stream.of(names)
                .filter(each -> each.taken.isPresent())
                .findFirst()
                .ifPresent(each -> LOG.warn(
                        "The {} has the name of a new table of the outbox, which is named {} instead. Messages are delivered as usual. Drop it if"
                                + " nobody needs it, and let no other role create in the schema (docs/configuration.md, Database roles)",
                        each.taken.get(),
                        each.name));
    }
}
