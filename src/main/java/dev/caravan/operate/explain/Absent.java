package dev.caravan.operate.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Explains an id that no message has. No I/O. */
final class Absent {
    private Absent() {}

    /**
     * @param lastId the last id of the sequence
     * @param lowest the lowest id in the outbox; empty if the outbox is empty
     * @param missingIn the subscriptions that have the id in their gaps
     * @param discardedIn the subscriptions in which a person discarded it
     * @param copiedIn the intakes whose rejected row it was until a person retried it
     * @param writers the open transactions that may still write it, the oldest first
     */
    static List<Explanation> of(
            long id,
            long lastId,
            Optional<Long> lowest,
            List<String> missingIn,
            List<String> discardedIn,
            List<String> copiedIn,
            List<OpenTransaction> writers) {
        return discardedIn.isEmpty() && copiedIn.isEmpty()
                ? List.of(notWritten(id, lastId, lowest, missingIn, writers))
                : Stream.concat(
                                discardedIn.stream().map(name -> explained(name, id, Reasons.DISCARDED)),
                                copiedIn.stream().map(name -> explained(name, id, Reasons.COPIED)))
                        .toList();
    }

    private static Explanation explained(String subscription, long id, WaitReason reason) {
        return new Explanation(Optional.of(subscription), id, List.of(reason), Optional.empty());
    }

    private static Explanation notWritten(
            long id, long lastId, Optional<Long> lowest, List<String> missingIn, List<OpenTransaction> writers) {
        boolean mayBePruned = missingIn.isEmpty() && id < lowest.orElse(Long.MAX_VALUE);
        boolean mayBeWritten = !writers.isEmpty() && (!mayBePruned || lowest.isEmpty());
        List<WaitReason> reasons = new ArrayList<>();
        if (id > lastId) {
            reasons.add(WaitReason.of(
                    Cause.NOT_ASSIGNED, "No transaction has received this id yet; the last id is " + lastId));
        } else if (mayBeWritten) {
            reasons.add(mayBeWritten(mayBePruned, missingIn, writers));
            writers.forEach(writer -> reasons.add(holder(writer)));
        } else {
            reasons.add(missingIn.isEmpty() ? gone(mayBePruned) : settledSoon(missingIn));
        }
        return new Explanation(Optional.empty(), id, List.copyOf(reasons), Optional.empty());
    }

    private static WaitReason mayBeWritten(
            boolean mayBePruned, List<String> missingIn, List<OpenTransaction> oldestFirst) {
        return WaitReason.of(
                        Cause.MISSING,
                        "No message with this id is committed. One of these open transactions may still write it,"
                                + " or it was rolled back"
                                + (mayBePruned ? ", or it was delivered everywhere and pruned" : "")
                                + (missingIn.isEmpty() ? "" : "; it is in the gaps of " + String.join(", ", missingIn)))
                .since(oldestFirst.get(0).since().orElse(null));
    }

    private static WaitReason settledSoon(List<String> missingIn) {
        return WaitReason.of(
                Cause.MISSING,
                "No message with this id is committed, and no transaction that wrote to the outbox is open: "
                        + String.join(", ", missingIn) + " will remove it from the gaps soon");
    }

    private static WaitReason gone(boolean mayBePruned) {
        return WaitReason.of(
                Cause.GONE,
                mayBePruned
                        ? "It was delivered everywhere and pruned, or it was rolled back"
                        : "No message has this id: its transaction was rolled back");
    }

    private static WaitReason holder(OpenTransaction writer) {
        WaitReason reason = WaitReason.of(
                        Cause.MISSING,
                        writer + writer.query().map(query -> ": " + query).orElse(""))
                .since(writer.since().orElse(null));
        return writer.ends().map(reason::next).orElse(reason);
    }
}
