package dev.caravan.lab.bench.contender;

import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** The upper limit of the rate: only JDBC and a KafkaProducer, with the guarantees of Caravan as long as nothing fails. */
public final class RawLoop implements Contender {
    private final int batch;

    /** @param batch messages per read */
    public RawLoop(int batch) {
        this.batch = batch;
    }

    @Override
    public String name() {
        return "limit";
    }

    @Override
    public void prepare(Outbox outbox) throws SQLException {
        outbox.execute("insert into outbox_subscription (name, position) values ('bench', 0)");
    }

    @Override
    public Program start(BenchRun run, Topic topic) throws IOException {
        Outbox outbox = run.outbox();
        return Program.start(
                "raw-loop",
                run.folder(),
                run.javaOptions(),
                RawLoopMain.class,
                List.of(outbox.url(), outbox.user(), topic.brokers(), topic.name(), Integer.toString(batch)),
                Map.of(RawLoopMain.PASSWORD, outbox.password()));
    }
}
