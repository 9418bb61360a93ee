-- The positions of subscriptions that are not halted and that the sequence of the outbox has not reached, or whose sequence has another
-- file than at that time (see claim.sql). The sequence is read after the snapshot of the positions, because inserts continue. Few rows; no
-- index needed.
with passed as (
    select name, lane, position, coalesce(last_id, 0::bigint) as last_id,
           position > 0 and stored_in = outbox_subscription.tableoid and sequence_file <> pg_relation_filenode('outbox_id_seq'::regclass)
               as restarted
      from outbox_subscription
     cross join (
\ir outbox_sequence.sql
     ) target
     where halted_at is null
)
select 'position' as about,
       'Subscription ' || name || case lane when 0 then '' else ' (lane ' || lane::text || ')' end || ' is at position ' || position::text
           || case when position > last_id
                   then ' but the sequence of the outbox is at ' || last_id::text
                       || ' (a restored outbox, or TRUNCATE … RESTART IDENTITY?): new messages get ids that it has already passed.'
                   else ', and the sequence of the outbox was restarted or altered since (TRUNCATE … RESTART IDENTITY, ALTER SEQUENCE):'
                       || ' ids up to the position may have been assigned again.' end
           || ' A relay halts it until a person resumes it: ./caravan subscriptions resume ' || name || ' --after ID' as text
  from passed
 where position > last_id or restarted
 order by name, lane
