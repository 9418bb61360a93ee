package dev.caravan.camel.outbox;

import dev.caravan.base.message.StoredContent;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.replay.Replay;
import dev.caravan.operate.replay.ReplayFilter;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** The actions of a person while a relay runs, with the classes that the commands use. */
public final class Person {
    private static final Actor ANNA = new Actor("anna", Optional.of("because"));

    private final DataSource database;

    public Person(TestOutbox outbox) {
        database = outbox.dataSource();
    }

    /** Retries all dead letters; returns how many. */
    public int retryAll() throws SQLException {
        int retried = 0;
        for (Selection.Chunk chunk : allDead().chunks(1_000)) {
            retried += new DeadLetters(database).retry(chunk, ANNA);
        }
        return retried;
    }

    /** Retries all dead letters with another payload. */
    public void editAll(String payload) throws SQLException {
        DeadLetters letters = new DeadLetters(database);
        for (Selection.Chunk chunk : allDead().chunks(1_000)) {
            for (DeadLetter letter : letters.load(chunk.subscription(), chunk.ids())) {
                letters.retryEdited(
                        letter, new StoredContent(Optional.empty(), Optional.of(payload), Optional.empty()), ANNA);
            }
        }
    }

    /** Discards all dead letters; returns how many. */
    public int discardAll() throws SQLException {
        int discarded = 0;
        for (Selection.Chunk chunk : allDead().chunks(1_000)) {
            discarded += new Discards(database, Duration.ofDays(7)).discard(chunk, UUID.randomUUID(), ANNA);
        }
        return discarded;
    }

    /** Gives up all messages that wait for another attempt; returns how many. */
    public int giveUpAll() throws SQLException {
        int givenUp = 0;
        for (Selection.Chunk chunk : allWaiting().chunks(1_000)) {
            givenUp += new Retries(database).giveUp(chunk, ANNA);
        }
        return givenUp;
    }

    /** Gives up the message with the lowest id of those that wait for another attempt. */
    public void giveUpFirst() throws SQLException {
        new Retries(database).giveUp(allWaiting().chunks(1).get(0), ANNA);
    }

    /** Lets all messages that wait for another attempt be tried now; returns how many. */
    int retryAllWaiting() throws SQLException {
        int retried = 0;
        for (Selection.Chunk chunk : allWaiting().chunks(1_000)) {
            retried += new Retries(database).retry(chunk, ANNA);
        }
        return retried;
    }

    private Selection allWaiting() throws SQLException {
        return new WaitingSearch(database).select(MessageFilter.ALL, found -> true);
    }

    private Selection allDead() throws SQLException {
        return new DeadLetterSearch(database).select(MessageFilter.ALL, found -> true);
    }

    /** Replays everything from an id; returns how many messages. */
    long replayFrom(String subscription, long id) throws Exception {
        ReplayFilter filter = new ReplayFilter(
                Optional.of(id),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        Replay replay = Replay.of(database, subscription, filter, false);
        return new Jobs(database)
                .run(new Jobs.Task("replay", Optional.of(subscription), replay.details()), ANNA)
                .done();
    }

    void pause(String subscription) throws SQLException {
        new Subscriptions(database).pause(subscription, ANNA);
    }

    void resume(String subscription) throws SQLException {
        new Subscriptions(database).resume(subscription, ANNA);
    }

    void delete(String subscription) throws SQLException {
        var subscriptions = new Subscriptions(database);
        subscriptions.delete(subscription, subscriptions.content(subscription), ANNA);
    }
}
