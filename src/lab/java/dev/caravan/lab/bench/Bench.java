package dev.caravan.lab.bench;

import java.util.function.Consumer;

/**
 * What scenarios work with.
 *
 * @param size how large the runs are
 * @param servers what they run on
 * @param progress is told what goes on, a line at a time
 */
record Bench(Size size, Servers servers, Consumer<String> progress) {
    private static final int WARM_UP_MESSAGES = 20_000;

    /** A run that is not counted, so that the broker and the database are not measured cold. */
    void warmUp() throws Exception {
        int messages = size.messages(WARM_UP_MESSAGES);
        RawLoop loop = new RawLoop(size.batch());
        try (var ground = servers.newGround()) {
            Topic topic = ground.newTopic();
            ground.outbox().fill(Content.of(size, Math.min(messages, WARM_UP_MESSAGES)));
            loop.prepare(ground.outbox());
            try (var program = loop.start(ground, topic)) {
                loop.awaitDelivered(ground.outbox(), program);
            }
        }
    }
}
