-- Matching messages in a window of ids, newest first. Keys, message ids and types have no index, which would slow inserts down. The
-- window bounds what is read of outbox_pkey.
select id,
       message_id,
       aggregate_type,
       aggregate_id,
       type,
       created_at,
       coalesce(octet_length(payload::text), octet_length(payload_bytes), 0) as bytes
  from outbox
 where id < :before
   and id >= :from
   and (:keyType::text is null or (aggregate_type = :keyType and aggregate_id = :keyId))
   and (:messageId::uuid is null or message_id = :messageId::uuid)
   and type like any (:types::text[])
 order by id desc
 limit :limit
