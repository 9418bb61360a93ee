package dev.caravan.console.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SignOutTest {
    /** A store that has no sessions when it is first read. */
    private static final class SlowStore implements EndedSessions.Store {
        private final CompletableFuture<Void> read = new CompletableFuture<>();
        private final AtomicInteger added = new AtomicInteger();

        @Override
        public Set<UUID> all() {
            read.join();
            return Set.of();
        }

        @Override
        public boolean add(UUID session, Instant end) {
            return added.incrementAndGet() == 1;
        }
    }

    @Test
    void many_sign_outs_of_one_session_at_once_cost_one_statement_so_that_they_delay_nobody() throws Exception {
        SlowStore store = new SlowStore();
        EndedSessions sessions = new EndedSessions(store, Clock.SYSTEM);
        UUID session = UUID.randomUUID();
        List<CompletableFuture<Void>> ended = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            ended.add(sessions.add(session, Instant.now()));
        }
        store.read.complete(null);

        CompletableFuture.allOf(ended.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);

        assertThat(store.added).hasValue(1);
    }
}
