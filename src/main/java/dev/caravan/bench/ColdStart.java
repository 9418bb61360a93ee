package dev.caravan.bench;

import java.util.List;

/** How long a relay takes from the start of its process to its first delivery. */
final class ColdStart implements Scenario {
    private static final Figure FIRST = Figure.seconds("toFirstDelivery");

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String description() {
        return "One message waits when the relay's process is started. Measured is the time to its append at the broker.";
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        try (var ground = bench.servers().newGround()) {
            Topic topic = ground.newTopic();
            ground.outbox().fill(Content.of(bench.size(), 1));
            Caravan caravan = new Caravan(bench.size().batch());
            long started = System.currentTimeMillis();
            try (var relay = caravan.start(ground, topic)) {
                caravan.awaitDelivered(ground.outbox(), relay);
            }
            Arrivals arrivals = Arrivals.in(topic, 1).requireOnceInOrder(Arrivals.ALL);
            figures.add("caravan", FIRST, (arrivals.time(1) - started) / 1e3);
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(Goal.atMost(
                "seconds to the first delivery", 3, figures.of("caravan", FIRST).max()));
    }
}
