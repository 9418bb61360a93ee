package dev.caravan.engine.store;

import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.progress.Read;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The rows that {@code read.sql} returned. {@link #answering} adds the parameters of the read.
 *
 * @param keyHashes the hash of the key of each message; empty if the statement does not return it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record BatchRows(
        List<Message> messages, long[] keyHashes, int candidates, Set<Long> ended, SequenceState sequence) {
    private static final int KEY_HASH = 12;

    public static BatchRows of(ResultSet found) throws SQLException {
        boolean hasHashes = found.getMetaData().getColumnCount() >= KEY_HASH;
        LongStream.Builder hashes = LongStream.builder();
        List<Message> messages = new ArrayList<>();
        Map<String, String> types = new HashMap<>();
        int candidates = 0;
        Set<Long> ended = Set.of();
        SequenceState sequence = null;
        while (found.next()) {
            if (found.getString(1) == null) {
                sequence = SequenceState.parse(found.getString(11));
                continue;
            }
            if (messages.isEmpty()) {
                String[] ofTheRead = found.getString(11).split(" ");
                candidates = Integer.parseInt(ofTheRead[0]);
                ended = ofTheRead.length == 1 ? Set.of() : ended(ofTheRead[1]);
            }
            messages.add(MessageRow.of(found, type -> once(type, types)));
            if (hasHashes) {
                hashes.add(found.getLong(KEY_HASH));
            }
        }
        return new BatchRows(messages, hashes.build().toArray(), candidates, ended, sequence).assigned();
    }

    /**
     * Leaves out messages whose ids the sequence has not assigned: somebody has chosen them. Progress cannot pass the sequence; they are taken as
     * soon as it has reached them. Every other row has an assigned id, because the statement reads the sequence after its snapshot was taken.
     * Nothing that was cut off is below a message that was returned, so no candidate remains beside these.
     */
    private BatchRows assigned() {
        int count = messages.size();
        while (count > 0 && messages.get(count - 1).id() > sequence.lastId()) {
            count--;
        }
        return count == messages.size()
                ? this
                : new BatchRows(
                        messages.subList(0, count),
                        Arrays.copyOf(keyHashes, Math.min(count, keyHashes.length)),
                        count,
                        ended,
                        sequence);
    }

    public Batch answering(Read read) {
        return new Batch(read, messages, candidates, ended);
    }

    /** @param ids separated by commas */
    private static Set<Long> ended(String ids) {
        return Stream.of(ids.split(",")).map(Long::valueOf).collect(Collectors.toSet());
    }

    private static String once(String text, Map<String, String> known) {
        String first = known.putIfAbsent(text, text);
        return first == null ? text : first;
    }
}
