package dev.caravan.lab.servers;

/** The privileges of the role of a relay, as in docs/configuration.md. */
public final class RelayGrants {
    private static final String SQL = """
            grant select on outbox to %1$s;
            grant select on sequence outbox_id_seq to %1$s;
            grant select, update on sequence outbox_sleeper to %1$s;
            grant select, insert, update on outbox_subscription to %1$s;
            grant select, insert, update, delete on outbox_relay to %1$s;
            grant select, insert, update on outbox_lease to %1$s;
            grant select, insert, delete on outbox_history to %1$s;
            grant select, insert, update, delete on outbox_retry to %1$s;
            grant select, insert on outbox_dead_letter to %1$s;
            grant select, delete on outbox_discarded to %1$s;
            grant select, update, delete on outbox_job to %1$s;
            grant select, insert, update on outbox_intake to %1$s;
            grant select, insert, update, delete on outbox_intake_row to %1$s;
            grant select, insert, delete on outbox_idempotent to %1$s;
            grant select, delete on outbox_audit to %1$s;
            """;

    private RelayGrants() {}

    /** Statements that grant the privileges to an existing role. */
    public static String to(String role) {
        return SQL.formatted(role);
    }
}
