package dev.caravan.console.identity;

import dev.caravan.base.clock.Clock;
import dev.caravan.console.http.Workers;
import dev.caravan.database.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.apache.camel.util.function.ThrowingSupplier;

/**
 * The sessions that people have ended before their expiry. They are stored in the database, so that a copy of the cookie is refused by every
 * relay of the outbox, also after a restart. Sign-ins that were completed are stored with them. Uses the database on a thread of its own.
 */
final class EndedSessions {
    /** How long another relay may accept a session after the sign-out. */
    static final Duration LONGEST_DELAY = Duration.ofSeconds(1);

    /** Where they are stored. The methods block. */
    interface Store {
        Set<UUID> all() throws SQLException;

        /**
         * @param end the expiry of the session; from then on it need not be stored
         * @return false if it was stored already
         */
        boolean add(UUID session, Instant end) throws SQLException;

        /** The table {@code outbox_ended_session}. */
        static Store in(DataSource database) {
            return new Store() {
                @Override
                public Set<UUID> all() throws SQLException {
                    return Set.copyOf(Sql.file("console/ended_sessions")
                            .query(database, row -> row.getObject("session", UUID.class)));
                }

                @Override
                public boolean add(UUID session, Instant end) throws SQLException {
                    return Sql.file("console/end_session")
                                    .with("session", session)
                                    .with("end", end)
                                    .update(database)
                            > 0;
                }
            };
        }
    }

    private final Executor thread = Workers.threads("sessions-", 1, Integer.MAX_VALUE);
    private final Store store;
    private final Shared<Set<UUID>> all;
    /** Those that were stored since the last load began. Used on the thread alone. */
    private final Set<UUID> stored = new HashSet<>();

    EndedSessions(Store store, Clock clock) {
        this.store = store;
        all = new Shared<>(() -> run(this::load), LONGEST_DELAY, LONGEST_DELAY, clock::nanos);
    }

    private Set<UUID> load() throws SQLException {
        stored.clear();
        return store.all();
    }

    /** Whether this session was ended; fails if the database does not say. */
    CompletableFuture<Boolean> contains(UUID session) {
        return all.get().thenApply(ended -> ended.contains(session));
    }

    /** Ends a session; this relay refuses it at once. Many sign-outs of one session, also at once, cost one statement. */
    CompletableFuture<Void> add(UUID session, Instant end) {
        return contains(session)
                .thenCompose(known -> known ? CompletableFuture.completedFuture(null) : store(session, end));
    }

    /** Ends a sign-in, which is no session yet; false if any relay has ended it before, so that it is completed once. */
    CompletableFuture<Boolean> addFirst(UUID signIn, Instant end) {
        return run(() -> store.add(signIn, end));
    }

    private CompletableFuture<Void> store(UUID session, Instant end) {
        return run(() -> {
                    if (!stored.contains(session)) {
                        store.add(session, end);
                    }
                    return stored.add(session);
                })
                .thenAccept(added -> all.forget());
    }

    private <T> CompletableFuture<T> run(ThrowingSupplier<T, SQLException> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.get();
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                },
                thread);
    }
}
