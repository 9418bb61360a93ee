package dev.caravan.camel.outbox;

import javax.sql.DataSource;

/** Gives a component connections that a test has made, for example to cut them. The component neither opens nor checks nor closes them. */
public final class ReadyConnections {
    private ReadyConnections() {}

    /** A component whose lanes share these connections. */
    public static OutboxComponent of(DataSource lanes) {
        OutboxComponent component = new OutboxComponent();
        component.setLaneConnections(lanes);
        return component;
    }

    public static void presence(OutboxComponent component, DataSource connections) {
        component.setPresenceConnections(connections);
    }
}
