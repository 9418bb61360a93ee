-- Matching messages in a window of ids, newest first. Keys, message ids and types have no index, which would slow inserts down. The
-- window bounds what is read of outbox_pkey.
-- Parameters: before id, from id; key (type, type, id), message id (twice), type patterns; rows.
select id,
       message_id,
       aggregate_type,
       aggregate_id,
       type,
       created_at,
       coalesce(octet_length(payload::text), octet_length(payload_bytes), 0) as bytes
  from outbox
 where id < ?
   and id >= ?
   and (?::text is null or (aggregate_type = ? and aggregate_id = ?))
   and (?::uuid is null or message_id = ?::uuid)
   and type like any (?::text[])
 order by id desc
 limit ?
