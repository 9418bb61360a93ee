package dev.caravan.engine.store;

import dev.caravan.database.SqlFile;
import java.util.Locale;

/** The statements of a lane, one file each in {@code sql/engine}. */
public enum Sql {
    HISTORY,
    HORIZON,
    HISTORY_SINCE_START,
    READ,
    WRITERS,
    MISSING_ID_WRITERS,
    CLAIM,
    HALT,
    SAVE_PROGRESS,
    BEGIN_SAVE,
    CHECK_AT_ONCE,
    RENEW,
    REPORT,
    SAVE_OUTCOME,
    RELEASE,
    IS_SUBSCRIBED,
    LAST_ID,
    SUBSCRIBE,
    SUBSCRIBE_LATEST,
    SUBSCRIBE_SINCE,
    SHOW_RELAY,
    LEAVE_RELAYS,
    FAIR_SHARE,
    SURVEY,
    RETRY_LOWEST,
    RETRY_KEYS,
    UNBLOCK,
    BLOCK_BEHIND,
    VANISHED,
    RETRY_WALK,
    RETRY_DUE,
    RETRY_FOLLOWERS,
    RETRY_STORE,
    RETRY_STORE_AGAIN,
    RETRY_BLOCK,
    RETRY_BLOCK_AGAIN,
    RETRY_REMOVE,
    DEAD_LETTER_STORE,
    ANNOUNCE_SLEEP,
    WITHDRAW_SLEEP;

    private final String text;

    Sql() {
        text = SqlFile.file("engine/" + name().toLowerCase(Locale.ROOT));
    }

    public String text() {
        return text;
    }
}
