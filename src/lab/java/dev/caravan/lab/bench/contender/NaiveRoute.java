package dev.caravan.lab.bench.contender;

import dev.caravan.base.text.TextFile;
import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.BenchSql;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * A plain camel-sql route that selects a hundred rows, sends each row and marks it. It runs in the same program as Caravan, on
 * a copy of the table with a published flag.
 */
public final class NaiveRoute implements Contender {
    private static final int MAX_MESSAGES = 20_000;

    @Override
    public String name() {
        return "naive";
    }

    @Override
    public int messages(int requested) {
        return Math.min(requested, MAX_MESSAGES);
    }

    @Override
    public void prepare(Outbox outbox) throws SQLException {
        for (String statement : BenchSql.read("naive_copy").split(";\\s*\\n")) {
            outbox.execute(statement); // vacuum needs its own statement
        }
    }

    @Override
    public Program start(BenchRun run, Topic topic) throws IOException {
        return CaravanContender.relay(
                run,
                name(),
                List.of(TextFile.resource("/dev/caravan/lab/bench/contender/naive.camel.yaml")
                        .orElseThrow()),
                Map.of("bench.topic", topic.name(), "bench.brokers", topic.brokers()));
    }

    @Override
    public void awaitDelivered(Outbox outbox, Program relay) throws Exception {
        outbox.await("every row is marked", relay, () -> outbox.text(BenchSql.read("naive_delivered"))
                .equals("t"));
    }
}
