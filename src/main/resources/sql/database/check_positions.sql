-- The position of each subscription that is not halted, to compare with the sequence of the outbox, and whether this sequence has another
-- file than at that time (see claim.sql). Few rows; no index needed.
select name, lane, position,
       position > 0 and stored_in = tableoid and sequence_file <> pg_relation_filenode('outbox_id_seq'::regclass) as restarted
  from outbox_subscription
 where halted_at is null
 order by name, lane
