package dev.caravan.adopt.doctor;

import static dev.caravan.adopt.doctor.Severity.CRITICAL;
import static dev.caravan.adopt.doctor.Severity.NOTE;
import static dev.caravan.adopt.doctor.Severity.WARNING;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Everything that the doctor can find. The ids are stable; docs/doctor.md lists them. */
public enum FindingKind {
    CARAVAN_CONDITION("The guarantees of Caravan rely on this condition.", CRITICAL),
    CARAVAN_POSITION_AHEAD(
            "New messages get ids that the subscription has already passed: it would skip them.", CRITICAL),

    UNLOGGED_TABLE("Postgres empties an unlogged table after a crash: all messages are lost.", CRITICAL),
    NO_PRIMARY_KEY(
            "Nothing identifies a message: a row can be published twice or updated with another one, and logical replication"
                    + " cannot repeat its updates.",
            WARNING),
    JSONB_PAYLOAD(
            "jsonb does not keep a payload as written: it sorts keys, removes repeated ones and changes white space, so that"
                    + " signatures and hashes of the text fail. It also costs more time to write than json.",
            NOTE),
    ROW_LEVEL_SECURITY(
            "A poller whose role a policy applies to does not see all messages. Nothing reports the hidden ones.",
            WARNING),
    TRIGGER_NOT_REPLICATED(
            "A trigger in its default mode does not fire for rows that a subscription applies: what it should record is missing.",
            WARNING),
    TRIGGER_DISABLED("A disabled trigger does not fire for any row.", NOTE),

    NARROW_IDS("When the ids are used up, each insert fails, and with it the transaction of the application.", NOTE),
    IDS_RUN_OUT(
            "When the ids are used up, each insert fails, and with it the transaction of the application.",
            WARNING,
            CRITICAL),
    SEQUENCE_CACHE(
            "Each session reserves a block of ids: later messages get smaller ids, so the ids do not show the order, and a reader that"
                    + " remembers the highest id skips messages.",
            WARNING),
    SEQUENCE_CYCLES(
            "When the sequence starts again, new messages get ids that exist already, or sort before older ones.",
            WARNING),
    SEQUENCE_INCREMENT(
            "Ids must grow by 1 for a reader to know which ids are missing; ids that fall reverse the order.", WARNING),
    SEQUENCE_BEHIND(
            "The next inserts get ids that are in the table: they fail, or new messages sort before older ones.",
            CRITICAL),

    TIME_ORDER(
            "A time does not order messages: transactions take it before they commit, clocks differ, and many rows can share it. A"
                    + " reader that orders by time delivers some messages of a key in the wrong order.",
            NOTE,
            WARNING),
    TIMESTAMP_WITHOUT_ZONE(
            "The value depends on the time zone of each session, and an hour repeats in autumn: ages are wrong and order can be reversed.",
            NOTE),
    TIMESTAMP_WITHOUT_DEFAULT(
            "Each application writes the time of its own clock, or none: ages and order depend on these clocks.", NOTE),
    DUPLICATE_MESSAGE_IDS(
            "A receiver that skips known message ids discards the second message, so its content is lost.", CRITICAL),

    CURSOR_POLLER(
            "Ids and times are assigned before the commit. A message of a transaction that commits late is below the cursor"
                    + " and is never read: typically a few percent of the messages under load.",
            CRITICAL),
    OFFSET_POLLER(
            "OFFSET counts rows from the start for each page, and skips messages when earlier ones are published or removed meanwhile.",
            WARNING),
    ROWS_PER_POLL("Each poll costs a round trip and a transaction, whatever it finds.", NOTE),
    SLOW_POLL(
            "Each message waits for the poll, and the poll keeps a processor and the cache of the database busy.",
            WARNING),

    POLL_WITHOUT_INDEX(
            "Each poll reads published rows to find the pending ones: it becomes slower with every message.",
            NOTE,
            WARNING),
    POLL_SORTS(
            "Each poll sorts all pending rows to return the first ones: a backlog makes it slower, which makes the backlog grow.",
            NOTE,
            WARNING),
    POLL_INDEX_NOT_PARTIAL(
            "The index contains every published row. A partial index contains only the pending ones and stays small.",
            NOTE),
    PUBLISHED_INDEXED(
            "Publishing changes an indexed column: Postgres must write a new entry into every index of the table for each message (no HOT"
                    + " update).",
            WARNING),
    INVALID_INDEX(
            "Postgres maintains the index with every insert, but no query uses it. A CREATE INDEX CONCURRENTLY has failed.",
            WARNING),
    PARTITION_WITHOUT_INDEX("Polls read a partition without the index completely.", WARNING),
    PARTITIONED_BY_PUBLISHED(
            "Publishing a message moves its row to another partition, which is a delete and an insert; a concurrent update of the row"
                    + " then fails.",
            WARNING),

    STUCK_MESSAGE(
            "The publisher skips this message: it fails each time, or was committed below the cursor.",
            WARNING,
            CRITICAL),
    NOTHING_PUBLISHED(
            "Messages wait, and no newer one is published: the publisher is not running, or fails at the first message.",
            WARNING,
            CRITICAL),
    PUBLISHED_ROWS_KEPT(
            "The table grows without limit. Polls, vacuum and backups take longer with every message.", WARNING),

    DEAD_ROWS(
            "Scans and index lookups read dead row versions too, until vacuum removes them: polls become slower.",
            WARNING),
    LOW_HOT_SHARE(
            "An update that is not HOT writes a new entry into every index, and leaves a dead one in each.", NOTE),
    AUTOVACUUM_OFF("Dead row versions are not removed, and statistics for plans become wrong.", WARNING),
    WRAPAROUND(
            "Postgres must freeze old rows before two billion transactions have passed; otherwise the server refuses all writes.",
            WARNING,
            CRITICAL),

    LONG_TRANSACTION(
            "Vacuum removes no row version that is newer than the start of this transaction: published rows slow down polls.",
            WARNING),
    PREPARED_TRANSACTION(
            "It keeps its locks and holds vacuum back until it is committed or rolled back, also after a restart.",
            WARNING),
    SLOT_HOLDS_VACUUM("The slot makes vacuum keep old row versions for its reader.", WARNING),
    STANDBY_HOLDS_VACUUM(
            "A query on the standby makes vacuum on this server keep old row versions (hot_standby_feedback).",
            WARNING),
    IDLE_IN_TRANSACTION(
            "The session does nothing and keeps its locks: rows that it claimed are not published, and changes of the table wait.",
            WARNING),

    SLOT_KEEPS_WAL(
            "WAL that a slot keeps fills the disk; a full disk stops the server. A lost slot must be created again.",
            WARNING,
            CRITICAL),
    FSYNC_OFF(
            "After a crash of the machine the whole database can be corrupt, and committed messages are lost.",
            CRITICAL),
    FULL_PAGE_WRITES_OFF("After a crash of the machine pages can be half written, and the database corrupt.", CRITICAL),
    SYNCHRONOUS_COMMIT_OFF(
            "A commit returns before it is on disk: after a crash of the server, committed messages are missing, also ones that were"
                    + " already delivered, and their ids are assigned again.",
            WARNING);

    private final String why;
    private final Set<Severity> severities;

    FindingKind(String why, Severity first, Severity... more) {
        this.why = why;
        severities = EnumSet.of(first, more);
    }

    /** For example {@code cursor-poller}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Why it matters. */
    public String why() {
        return why;
    }

    /** The severities that a finding of this kind can have, the most urgent first. */
    public Set<Severity> severities() {
        return severities;
    }

    /** The only severity of this kind. */
    Severity severity() {
        if (severities.size() != 1) {
            throw new IllegalStateException(this + " has several severities");
        }
        return severities.iterator().next();
    }
}
