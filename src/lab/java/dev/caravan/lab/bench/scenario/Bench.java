package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.RawLoop;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.Servers;
import dev.caravan.lab.bench.run.Size;
import dev.caravan.lab.bench.run.Topic;
import java.util.function.Consumer;

/**
 * The servers and sizes that all scenarios use.
 *
 * @param size how large the runs are
 * @param servers what they run on
 * @param progress receives one line of text for each step
 */
public record Bench(Size size, Servers servers, Consumer<String> progress) {
    private static final int WARM_UP_MESSAGES = 20_000;

    /** Warms up the broker and the database with a run that is not counted. */
    public void warmUp() throws Exception {
        int messages = size.messages(WARM_UP_MESSAGES);
        RawLoop loop = new RawLoop(size.batch());
        try (var run = servers.newRun()) {
            Topic topic = run.newTopic();
            run.outbox().fill(Content.of(size, Math.min(messages, WARM_UP_MESSAGES)));
            loop.prepare(run.outbox());
            try (var program = loop.start(run, topic)) {
                loop.awaitDelivered(run.outbox(), program);
            }
        }
    }
}
