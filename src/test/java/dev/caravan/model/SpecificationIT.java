package dev.caravan.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The specification in docs/spec: its promises hold, and none of its rules can be dropped. */
class SpecificationIT {
    private static final Pattern RULE = Pattern.compile("(?m)^    \"([^\"]+)\"[,}]");

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "Settling, 20000",
        "SettlingLeftOut, 30000",
        "SettlingIdle, 25000",
        "Tail, 30000",
        "TailGaps, 5000",
        "TailCut, 5000",
        "TailFair, 1000",
        "Takeover, 20000",
        "TakeoverRetry, 10000",
        "TakeoverPresence, 30000",
        "TakeoverPromotion, 30000"
    })
    void the_promises_hold_in_each_state(String configuration, int states) throws Exception {
        ModelChecker.Result result = ModelChecker.of(configuration).run();

        assertThat(result.broken()).as(result.log()).isEmpty();
        assertThat(result.states()).as(result.log()).isGreaterThan(states);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "Settling, NothingIsSettledBesideAnOpenWriter",
        "SettlingLeftOut, NothingIsLeftOut",
        "SettlingIdle, NothingIsSettledBesideAnIdleWriter",
        "Tail, LanesAreMissingTheSame",
        "TailGaps, AtMostOneStepIsKept",
        "TailCut, NoLaneIsAheadOfTheTail",
        "Takeover, NothingArrivesFromAnotherEpoch",
        "TakeoverRetry, NothingWaitsForRetry",
        "TakeoverPresence, NobodyIsTakenForAbsent",
        "TakeoverPromotion, NoProofOfAnotherServer"
    })
    void what_the_model_is_about_happens_in_it(String configuration, String opposite) throws Exception {
        ModelChecker.Result result =
                ModelChecker.of(configuration).promising(opposite).run();

        assertThat(result.broken()).as(result.log()).contains(opposite);
    }

    static Stream<Arguments> rules() {
        String passed = "NothingIsPassed";
        String order = "OrderOfKey";
        String first = "FirstOccurrencesInOrder";
        String holder = "OnlyTheHolderStarts";
        String fenced = "AFencedRelaySavesNothing";
        String forgotten = "NothingIsForgotten";
        String repeat = "NoRepeat";
        return Stream.of(
                Arguments.of("Settling", "an insert takes its lock before it draws its id", passed),
                Arguments.of("Settling", "a commit is visible before its locks are released", passed),
                Arguments.of("SettlingLeftOut", "writers of one key take turns", order),
                Arguments.of("SettlingLeftOut", "the gaps and the new messages come from one snapshot", order),
                Arguments.of("Settling", "the writers are looked up after the read that showed the gap", passed),
                Arguments.of("Settling", "the writers of the first observation are waited for", passed),
                Arguments.of("Settling", "the ids are read again after the writers have ended", passed),
                Arguments.of("Settling", "a cut read proves nothing beyond its last row", passed),
                Arguments.of("Settling", "a writer that is no longer listed may be prepared", passed),
                Arguments.of("SettlingIdle", "an idle writer has executed nothing between two observations", passed),
                Arguments.of("SettlingLeftOut", "rows of an outdated read are not used", order),
                Arguments.of("SettlingLeftOut", "only writers with a transaction id are left out", order),
                Arguments.of("Settling", "gaps hold what is in flight", passed),
                Arguments.of("Settling", "a new owner observes the writers again", passed),
                Arguments.of("Tail", "a lane takes the steps of all reads that end after its own read began", order),
                Arguments.of("TailCut", "a lane joins after it has read all", order),
                Arguments.of("Tail", "a read of a lane counts only if the tail had begun before", order),
                Arguments.of("Tail", "a lane that joins without a read joins between the reads of the tail", order),
                Arguments.of("TailGaps", "a lane joins while it does not read", repeat),
                Arguments.of(
                        "Tail",
                        "a lane that joins is missing what lies between its position and that of the tail",
                        forgotten),
                Arguments.of("Tail", "the tail is missing what the lanes that joined are missing", forgotten),
                Arguments.of("TailGaps", "the tail reads gaps and new messages from one snapshot", order),
                Arguments.of("TailGaps", "a lane ignores what it has taken", repeat),
                Arguments.of("TailFair", "a lane takes each step", ModelChecker.OVER_TIME),
                Arguments.of("Tail", "a lane that has left takes no step", repeat),
                Arguments.of("Takeover", "a lane is claimed only after its lease has ended or was released", holder),
                Arguments.of("Takeover", "each claim gets a higher epoch", fenced),
                Arguments.of("Takeover", "a save is fenced by its epoch", fenced),
                Arguments.of("Takeover", "the relay measures its lease from the moment of its request", holder),
                Arguments.of("Takeover", "the lease of the relay ends before that of the row", holder),
                Arguments.of("Takeover", "a relay checks its lease before it starts a message", holder),
                Arguments.of("TakeoverRetry", "a message waits for the one before it in its key", first),
                Arguments.of("TakeoverRetry", "a message waits behind those of its key that failed", first),
                Arguments.of("TakeoverRetry", "progress and what failed are saved in one transaction", passed),
                Arguments.of("Takeover", "gaps hold what is in flight", passed),
                Arguments.of(
                        "Takeover", "a lane is released only while no attempt is running", "NoRepeatWithoutTrouble"),
                Arguments.of("TakeoverPresence", "a relay starts only while it has proved its presence", holder),
                Arguments.of(
                        "TakeoverPresence",
                        "a relay that claims by presence waits until older proofs have ended",
                        holder),
                Arguments.of("TakeoverPresence", "a new session counts from a save on", holder),
                Arguments.of(
                        "TakeoverPresence", "until a save is answered the sessions before and after it count", holder),
                Arguments.of(
                        "TakeoverPromotion",
                        "the end of a session is observed only on the server of this session",
                        holder));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("rules")
    void a_promise_is_broken_without(String configuration, String rule, String promise) throws Exception {
        ModelChecker.Result result =
                ModelChecker.of(configuration).without(rule).run();

        assertThat(result.broken()).as(result.log()).contains(promise);
    }

    @Test
    void each_rule_is_dropped_once_and_described_on_the_page() throws Exception {
        List<String> rules = new ArrayList<>();
        for (String module : ModelChecker.MODULES) {
            RULE.matcher(ModelChecker.module(module)).results().forEach(rule -> rules.add(rule.group(1)));
        }

        assertThat(rules().map(rule -> rule.get()[1])).containsExactlyInAnyOrderElementsOf(rules);
        assertThat(Files.readString(Path.of("docs/spec/README.md"))).contains(rules);
    }
}
