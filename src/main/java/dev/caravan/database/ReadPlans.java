package dev.caravan.database;

/** Planner settings of a session that reads the outbox (decision 3). {@link Transaction#PLANS} are those for tables of failures. */
public final class ReadPlans {
    /**
     * A plan that is kept locks every partition at each read, a plan for one read those that it needs. With more partitions than this,
     * lanes that read at once could use up the locks of the server (6,400 by default, for all its sessions).
     */
    static final int PARTITIONS_OF_A_KEPT_PLAN = 32;

    /**
     * Statements that make a session plan the read once, as an index scan in id order: to plan takes longer than most reads. The plan has
     * to be right whatever the statistics were when it was made, so a scan with a sort, which has ten times the latency, is disabled.
     * Postgres overestimates the rows of such a plan, and would compile or parallelize it.
     */
    public static final String SETTINGS = """
            select set_config('plan_cache_mode', case when count(*) > %d then 'force_custom_plan' else 'force_generic_plan' end, false)
            from pg_inherits where inhparent = to_regclass('outbox');
            set enable_seqscan = off; set enable_bitmapscan = off; set jit = off; set max_parallel_workers_per_gather = 0
            """.formatted(PARTITIONS_OF_A_KEPT_PLAN);

    private ReadPlans() {}
}
