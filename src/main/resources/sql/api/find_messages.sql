-- Messages of a window of ids that match, newest first. No index serves keys, message ids and types, on purpose: inserts would pay
-- for it. The window bounds what is read of outbox_pkey.
-- Parameters: before id, from id; key (type, type, id), message id (twice), type patterns; rows.
select id,
       message_id,
       aggregate_type,
       aggregate_id,
       type,
       created_at,
       coalesce(octet_length(payload::text), 0) as bytes
  from outbox
 where id < ?
   and id >= ?
   and (?::text is null or (aggregate_type = ? and aggregate_id = ?))
   and (?::uuid is null or message_id = ?::uuid)
   and type like any (?::text[])
 order by id desc
 limit ?
