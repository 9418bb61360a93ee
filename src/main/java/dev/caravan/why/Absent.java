package dev.caravan.why;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Explains an id that no message has. No I/O. */
final class Absent {
    private Absent() {}

    /**
     * @param lastId the last id of the sequence
     * @param lowest the lowest id in the outbox; empty if the outbox is empty
     * @param missingIn the subscriptions that have the id in their gaps
     * @param writers the open transactions that may still write it
     */
    static Explanation of(
            long id, long lastId, Optional<Long> lowest, List<String> missingIn, List<OpenTransaction> writers) {
        List<WaitReason> reasons = new ArrayList<>();
        boolean mayBePruned = missingIn.isEmpty() && id < lowest.orElse(Long.MAX_VALUE);
        boolean mayBeWritten = !writers.isEmpty() && (!mayBePruned || lowest.isEmpty());
        if (id > lastId) {
            reasons.add(WaitReason.of(
                    Cause.NOT_ASSIGNED, "No transaction has received this id yet; the last id is " + lastId));
        } else if (mayBeWritten) {
            reasons.add(WaitReason.of(
                            Cause.MISSING,
                            "No message with this id is committed. One of these open transactions may still write it,"
                                    + " or it was rolled back"
                                    + (mayBePruned ? ", or it was delivered everywhere and pruned" : "")
                                    + (missingIn.isEmpty()
                                            ? ""
                                            : "; it is in the gaps of " + String.join(", ", missingIn)))
                    .since(writers.get(0).since().orElse(null)));
            writers.forEach(writer -> reasons.add(holder(writer)));
        } else if (!missingIn.isEmpty()) {
            reasons.add(WaitReason.of(
                    Cause.MISSING,
                    "No message with this id is committed, and no transaction that wrote to the outbox is open: "
                            + String.join(", ", missingIn) + " will remove it from the gaps soon"));
        } else {
            reasons.add(WaitReason.of(
                    Cause.GONE,
                    mayBePruned
                            ? "It was delivered everywhere and pruned, or it was rolled back"
                            : "No message has this id: its transaction was rolled back"));
        }
        return new Explanation(Optional.empty(), id, List.copyOf(reasons), Optional.<Instant>empty());
    }

    private static WaitReason holder(OpenTransaction writer) {
        WaitReason reason = WaitReason.of(
                        Cause.MISSING,
                        writer + writer.query().map(query -> ": " + query).orElse(""))
                .since(writer.since().orElse(null));
        return writer.ends().map(reason::next).orElse(reason);
    }
}
