-- Whether the sequence of the outbox is behind its messages: restored without it, or somebody has chosen an id. Nothing is lost by that: relays
-- leave these messages until the sequence has reached them, and an insert that draws an id in use fails. Reads the end of the primary key of each
-- partition. The sequence is read after the snapshot of the messages, because inserts continue.
select sequence_name as about,
       'Sequence ' || sequence_name || ' is at ' || coalesce(last_id, 0::bigint)::text || ' but the outbox contains id ' || highest::text
           || ' (restored without its sequence?): messages with higher ids than the sequence wait until it has reached them, and inserts that get'
           || ' the id of one fail. Run: select setval(''' || sequence_name || ''', ' || highest::text
           || '). If somebody has chosen this id, run instead: delete from ' || outbox_name || ' where id = ' || highest::text as text
  from (
\ir outbox_sequence.sql
  ) target
 cross join (select max(id) as highest from outbox) messages
 where highest > coalesce(last_id, 0::bigint) and readable
