package dev.caravan.database;

import java.util.Locale;

/** Planner settings of a session that reads the outbox (decision 3). {@link Transaction#PLANS} are those for tables of failures. */
public final class ReadPlans {
    /**
     * A generic plan locks every partition at each read; a custom plan locks only those that the read needs. With more partitions than
     * this, lanes that read at the same time could use up the locks of the server (6,400 by default, for all its sessions).
     */
    static final int MAX_PARTITIONS_OF_A_GENERIC_PLAN = 32;

    /**
     * Statements that make a session plan the read only once, because planning takes longer than most reads. The plan must be an index
     * scan in id order, whatever the statistics are: other scans need a sort, which has ten times the latency, so they are disabled.
     * Postgres overestimates the rows of a generic plan, so JIT compilation and parallel workers are disabled too.
     */
    public static final String SETTINGS = String.format(Locale.ROOT, """
            select set_config('plan_cache_mode', case when count(*) > %d then 'force_custom_plan' else 'force_generic_plan' end, false)
            from pg_inherits where inhparent = to_regclass('outbox')::oid;
            set enable_seqscan = off; set enable_bitmapscan = off; set jit = off; set max_parallel_workers_per_gather = 0
            """, MAX_PARTITIONS_OF_A_GENERIC_PLAN);

    /** Those of {@link Transaction#PLANS} for a session. */
    static final String OF_FAILURES =
            "set plan_cache_mode = force_custom_plan; set enable_seqscan = off; set enable_bitmapscan = off; set jit = off";

    private ReadPlans() {}
}
