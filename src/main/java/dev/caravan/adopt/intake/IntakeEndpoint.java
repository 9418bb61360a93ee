package dev.caravan.adopt.intake;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.apache.camel.Component;
import org.apache.camel.Consumer;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.component.sql.SqlEndpoint;

/** An endpoint of camel-sql that reads the pending rows of an intake. */
final class IntakeEndpoint extends SqlEndpoint {
    private final IntakeLoop loop;

    IntakeEndpoint(Component sql, IntakeLoop loop) {
        super("sql:intake-" + loop.intake().name(), sql);
        this.loop = loop;
        setAutowiredEnabled(false); // camel-sql would look for options of its own class of endpoints
        setDataSource(loop.connection());
        setUsePlaceholder(false);
        setGreedy(true); // a round that follows at once says so
        setInitialDelay(0);
        setDelay(loop.intake().delay().toMillis());
    }

    @Override
    public Consumer createConsumer(Processor route) throws Exception {
        IntakeConsumer consumer = IntakeConsumer.of(this, loop, route);
        configureConsumer(consumer);
        return consumer;
    }

    /** @throws UnsupportedOperationException always: only the intake writes to its source */
    @Override
    public Producer createProducer() {
        throw new UnsupportedOperationException("An intake is no destination");
    }

    /** Converts the rows of a read; camel-sql calls this for its consumer. */
    @Override
    public List<?> queryForList(ResultSet rows, boolean allowMapToClass) throws SQLException {
        return loop.received(rows);
    }

    @Override
    protected String createEndpointUri() {
        return "sql:intake-" + loop.intake().name();
    }
}
