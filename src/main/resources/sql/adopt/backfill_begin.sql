-- Begins a backfill, in a transaction that has locked the table against writers in an earlier statement. The boundary also lists the
-- subtransactions that are open now and could write to the table later: pg_current_snapshot() leaves them out, but each holds the lock of
-- its transaction id.
with now as materialized (
    select pg_current_snapshot() as snapshot
), bounds as (
    select snapshot, pg_snapshot_xmin(snapshot)::text::bigint as low, pg_snapshot_xmax(snapshot)::text::bigint as high from now
), open (xid) as (
    select pg_snapshot_xip(snapshot)::text::bigint from bounds
    union
    select low + ((transactionid::text::bigint - low) & 4294967295)
      from bounds, pg_locks
     where locktype = 'transactionid' and mode = 'ExclusiveLock' and granted
)
insert into outbox_backfill (capture, definition, triggers, boundary, last_id)
select capture, definition,
       (select coalesce(string_agg(oid::text || ' ' || xmin::text, ', ' order by oid), '')
          from pg_trigger
         where tgparentid = 0::oid
           and tgfoid = (select oid from pg_proc
                          where pronamespace = quote_ident(current_schema()::text)::regnamespace::oid
                            and proname::text = 'outbox_capture_' || capture and pronargs = 0)),
       pg_catalog.format('%s:%s:%s', low, high, (select string_agg(xid::text, ',' order by xid) from open where xid < high))::pg_snapshot,
       (select coalesce(max(id), 0) from outbox)
  from bounds, (values (:capture::text, :definition::text)) as given (capture, definition)
    on conflict (capture) do update
   set definition = excluded.definition, triggers = excluded.triggers, boundary = excluded.boundary, last_id = excluded.last_id,
       pass = 1, after_key = null, messages = 0, started_at = clock_timestamp(), saved_at = clock_timestamp(), finished_at = null
