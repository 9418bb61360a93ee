package dev.caravan.operate.explain;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.caravan.base.text.SqlText;
import dev.caravan.database.Column;
import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Transaction;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * An open transaction that has written to the outbox and may still fill a missing id. The server hides the details of sessions of other
 * roles from a role without pg_read_all_stats.
 *
 * @param pid process of its session; empty for a prepared transaction
 * @param prepared name of a prepared transaction
 * @param client address and port of the client; empty for a local connection
 * @param since when the transaction began
 * @param waits whether it waits for a lock of another session
 * @param query the last statement of the session, without values
 */
public record OpenTransaction(
        Optional<Integer> pid,
        @Column("gid") Optional<String> prepared,
        Optional<String> role,
        Optional<String> client,

        @JsonProperty("applicationName") @Column("application_name")
        Optional<String> application,

        Optional<String> state,
        @JsonProperty("transactionSince") Optional<Instant> since,
        @JsonProperty("waitingForLock") boolean waits,
        Optional<String> query) {

    private static final String STATEMENT =
            SqlFile.file("operate/open_transactions").replace("/*writers*/", SqlFile.file("engine/writers"));

    /** All of them, the oldest first. */
    public static List<OpenTransaction> all(DataSource database) throws SQLException {
        return Transaction.run(database, connection -> Sql.text(STATEMENT).query(connection, OpenTransaction.class));
    }

    public OpenTransaction {
        query = query.map(QueryText::withoutValues);
    }

    /** The statement that ends the transaction and rolls it back; empty if the server hides its name. */
    @JsonProperty("endsWith")
    public Optional<String> ends() {
        return pid.map(process -> "select pg_terminate_backend(" + process + ");")
                .or(() -> prepared.map(name -> "rollback prepared " + SqlText.visibleLiteral(name) + ";"));
    }

    /** {@code pid 4711}, or the name of a prepared transaction, which has no session. */
    public String name() {
        return pid.map(process -> "pid " + process)
                .or(() -> prepared.map(name -> "prepared transaction " + name))
                .orElse("a prepared transaction");
    }

    /** {@code pid 4711 (shop, 10.0.0.7:51234, application orders), idle in transaction}. */
    @Override
    public String toString() {
        return name() + " (" + role.orElse("role unknown")
                + client.map(at -> ", " + at).orElse("")
                + application.map(name -> ", application " + name).orElse("") + ")"
                + state.map(word -> ", " + word).orElse("")
                + (waits ? ", waits for a lock" : "");
    }
}
