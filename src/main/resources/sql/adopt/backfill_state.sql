-- The backfill of a capture, locked for the transaction, so that a second process would wait. same_triggers: whether no trigger of the
-- capture has been changed since the start.
select capture, definition, boundary::text as boundary, last_id, pass, after_key, messages, finished_at is not null as finished,
       triggers = (select coalesce(string_agg(oid::text || ' ' || xmin::text, ', ' order by oid), '')
                     from pg_trigger
                    where tgparentid = 0::oid
                      and tgfoid = (select oid from pg_proc
                                     where pronamespace = quote_ident(current_schema()::text)::regnamespace::oid
                                       and proname::text = 'outbox_capture_' || capture and pronargs = 0)) as same_triggers
  from outbox_backfill
 where capture = :capture
   for update
