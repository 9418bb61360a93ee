package dev.caravan.lab.history;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * In a history of one subscription with one lane, restores an earlier state of the outbox and its sequence, below the saved position. Checks that a relay that compares the position with
 * the sequence halts the subscription. If the sequence passes the position before that, no relay can detect the restoration.
 */
final class Restoration {
    private static final String POSITION = "select coalesce(min(position), 0) from outbox_subscription";
    private static final String LAST_ID = "select last_value - (not is_called)::int from outbox_id_seq";
    private static final String AHEAD = "select exists (select 1 from outbox_subscription where position > (" + LAST_ID
            + ") and halted_at is null and ";
    private static final String AND_OWNED = "owner = ?)";
    private static final String AND_FREE = "not paused and (owner is null or lease_until < clock_timestamp()))";
    private static final String HALTED =
            "select exists (select 1 from outbox_subscription where halted_at is not null)";

    private final JdbcTemplate jdbc;
    private final boolean possible;
    private final PlayedSubscription subscription;
    private long lastId = -1;
    private long position;
    /** The relays that have compared the position with the sequence in their current turn. */
    private final Set<String> compared = ConcurrentHashMap.newKeySet();

    private boolean undetectable;

    Restoration(List<PlayedSubscription> subscriptions, JdbcTemplate jdbc) {
        subscription = subscriptions.get(0);
        possible = subscriptions.size() == 1 && subscription.options().lanes() == 1;
        this.jdbc = jdbc;
    }

    /** Whether messages may be lost because no relay could detect the restoration. */
    boolean isUndetectable() {
        return undetectable;
    }

    /** Removes the last messages; all transactions of writers must have ended. No effect if failures are stored. */
    void setBack(int ids) {
        boolean stored = Boolean.TRUE.equals(jdbc.queryForObject(
                "select exists (select 1 from outbox_retry) or exists (select 1 from outbox_dead_letter)",
                Boolean.class));
        long to = Math.max(0, number(LAST_ID) - ids);
        long reached = number(POSITION);
        if (!possible || lastId >= 0 || stored || reached <= to) {
            return;
        }
        lastId = to;
        position = reached;
        jdbc.update("delete from outbox where id > ?", to);
        jdbc.queryForObject("select setval('outbox_id_seq', ?, ?)", Long.class, Math.max(1, to), to > 0);
        subscription.messages().restored(to);
    }

    /** To be called before a statement of a relay. */
    void executing(String relay, String sql) {
        if (lastId < 0) {
            return;
        }
        if (sql.contains("set position = ?") || sql.contains("as of_the_read")) {
            compares(relay, jdbc.queryForObject(AHEAD + AND_OWNED, Boolean.class, relay));
        } else if (sql.contains("set owner = ?")) {
            compares(relay, jdbc.queryForObject(AHEAD + AND_FREE, Boolean.class));
        }
    }

    private void compares(String relay, Boolean ahead) {
        if (Boolean.TRUE.equals(ahead)) {
            compared.add(relay);
        }
    }

    /** To be called after a statement of a relay has failed. */
    void failed(String relay) {
        compared.remove(relay);
    }

    /** To be called after ids were drawn. */
    void drawn() {
        undetectable |= lastId >= 0 && compared.isEmpty() && number(LAST_ID) >= position && !isHalted();
    }

    /** To be called after a turn that did not fail. */
    void turnEnded(String relay) {
        if (compared.remove(relay) && !isHalted()) {
            throw new Violation("the position " + position
                    + " is ahead of the sequence, a relay has compared them, and the subscription is not halted");
        }
    }

    boolean isHalted() {
        return lastId >= 0 && Boolean.TRUE.equals(jdbc.queryForObject(HALTED, Boolean.class));
    }

    /** Lets a person resume a halted subscription. */
    void resume() throws SQLException {
        if (isHalted()) {
            subscription.people().resumeAfter(subscription.messages().resume());
        }
    }

    private long number(String query) {
        return jdbc.queryForObject(query, Long.class);
    }
}
