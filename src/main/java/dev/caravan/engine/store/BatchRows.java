package dev.caravan.engine.store;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.progress.Read;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
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
                sequence = SequenceState.parse(found.getString(10));
                continue;
            }
            if (messages.isEmpty()) {
                String[] ofTheRead = found.getString(10).split(" ");
                candidates = Integer.parseInt(ofTheRead[0]);
                ended = ofTheRead.length == 1 ? Set.of() : ended(ofTheRead[1]);
            }
            messages.add(message(found, types));
            if (hasHashes) {
                hashes.add(found.getLong(KEY_HASH));
            }
        }
        return new BatchRows(messages, hashes.build().toArray(), candidates, ended, sequence);
    }

    public Batch answering(Read read) {
        return new Batch(read, messages, candidates, ended);
    }

    /** @param ids separated by commas */
    private static Set<Long> ended(String ids) {
        return Stream.of(ids.split(",")).map(Long::valueOf).collect(Collectors.toSet());
    }

    /** @param types the types so far: equal texts share one instance, which saves memory */
    private static Message message(ResultSet found, Map<String, String> types) throws SQLException {
        long id = found.getLong(1);
        UUID messageId = found.getObject(2, UUID.class);
        if (messageId == null) {
            return Message.notSelected(id);
        }
        return new Message(
                id,
                messageId,
                new Key(once(found.getString(3), types), found.getString(4)),
                once(found.getString(5), types),
                found.getString(6),
                found.getString(7),
                found.getBytes(8),
                CreatedAt.of(found, 9),
                found.getLong(11));
    }

    private static String once(String text, Map<String, String> known) {
        String first = known.putIfAbsent(text, text);
        return first == null ? text : first;
    }
}
