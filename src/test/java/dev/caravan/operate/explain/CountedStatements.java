package dev.caravan.operate.explain;

import dev.caravan.ProxiedConnections;
import javax.sql.DataSource;

/** Counts the statements that are prepared on its connections. */
final class CountedStatements extends ProxiedConnections {
    private int prepared;

    CountedStatements(DataSource counted) {
        super(counted);
    }

    int prepared() {
        return prepared;
    }

    @Override
    protected Object on(Call call) throws Exception {
        if (call.method().equals("prepareStatement")) {
            prepared++;
        }
        return call.proceed();
    }
}
