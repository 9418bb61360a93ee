package dev.caravan.lab.history.plan;

/** What a step does. Its text uses the numbers of the step: %1$s who, %2$d what, %3$d more, %4$d more and one. */
public enum StepKind {
    INSERT("writer %1$s inserts %4$d message(s) of key %2$d"),
    INSERT_OTHER_TYPE("writer %1$s inserts %4$d message(s) of key %2$d of another type"),
    DRAW("writer %1$s draws an id and does not use it"),
    UNDONE_INSERT("writer %1$s inserts a message of key %2$d and rolls back to a savepoint"),
    COMMIT("writer %1$s commits"),
    ROLL_BACK("writer %1$s rolls back"),
    PREPARE("writer %1$s prepares its transaction"),
    COMMIT_PREPARED("the prepared transaction of writer %1$s is committed"),
    ROLL_BACK_PREPARED("the prepared transaction of writer %1$s is rolled back"),
    TIME("%2$d ms pass"),
    TURN("relay %1$s, lane %2$d: one turn"),
    PART("relay %1$s, lane %2$d: %3$d statements of a turn"),
    FAIL("relay %1$s, lane %2$d: %3$d statements, then the connection is lost before the next one"),
    LOSE_ANSWER("relay %1$s, lane %2$d: %3$d statements, then the answer to the next one is lost"),
    CUT("relay %1$s, lane %2$d: %3$d statements, then the connection is lost; the server does not notice"),
    REJECT("relay %1$s, lane %2$d: %3$d statements, then the database rejects the next one"),
    REJECT_DATA("relay %1$s, lane %2$d: %3$d statements, then the database rejects the data of the next one"),
    SERVER_NOTICES("the server notices a lost connection (%2$d)"),
    CRASH("relay %1$s is killed"),
    STOP("relay %1$s stops"),
    SEND("relay %1$s, lane %2$d: sends a message"),
    TAKE("relay %1$s, lane %2$d: takes a message and is about to send it"),
    DELIVER("relay %1$s, lane %2$d: sends up to %4$d message(s), all accepted"),
    ACCEPTED("relay %1$s: attempt %2$d is accepted"),
    FAILED("relay %1$s: attempt %2$d fails"),
    POISON("relay %1$s: attempt %2$d fails for good"),
    UNAVAILABLE("relay %1$s: attempt %2$d finds the destination unavailable"),
    ANSWER_LOST("relay %1$s: attempt %2$d is accepted, but its answer is lost"),
    ARRIVES("relay %1$s: attempt %2$d arrives and is not answered yet"),
    PAUSE("a person pauses subscription %1$s"),
    RESUME("a person resumes subscription %1$s"),
    RETRY_DEAD("a person retries dead letter %2$d of subscription %1$s"),
    DISCARD("a person discards dead letter %2$d of subscription %1$s"),
    UNDO_DISCARD("a person undoes the discard of dead letter %2$d of subscription %1$s"),
    RETRY_WAITING("a person retries waiting message %2$d of subscription %1$s"),
    GIVE_UP("a person gives up waiting message %2$d of subscription %1$s"),
    REPLAY("a person replays the messages from id %2$d on of subscription %1$s"),
    CHANGE_LANES("a person changes the number of lanes of subscription %1$s to %4$d, as far as that is possible now"),
    PRUNE("old partitions are pruned, as far as that is possible now"),
    REPLICATE("a replica copies everything that is committed now, and lags from then on"),
    PROMOTE("the replica replaces the database, and leaves %3$d ids unused"),
    SET_CLOCK_BACK("the clock of the database is set back by %2$d ms"),
    SET_BACK("the outbox is restored to a state %2$d ids earlier"),
    REFUSE("the database refuses to store failures of key 0"),
    ACCEPT("the database stores all failures again");

    final String text;

    StepKind(String text) {
        this.text = text;
    }

    boolean isOfRelay() {
        return compareTo(TURN) >= 0 && compareTo(ARRIVES) <= 0 && this != SERVER_NOTICES;
    }
}
