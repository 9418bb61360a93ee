-- Matching messages among a limited number of messages (the window) from an id down, newest first. Keys, message ids and types have no index,
-- which would slow inserts down. Nobody can ask for a negative id. Served by outbox_pkey.
select id,
       message_id,
       aggregate_type,
       aggregate_id,
       type,
       created_at,
       coalesce(octet_length(payload::text), octet_length(payload_bytes), 0) as bytes
  from (select id, message_id, aggregate_type, aggregate_id, type, created_at, payload, payload_bytes
          from outbox
         where id <= :highest
           and id >= 0
         order by id desc
         limit :window) part
 where (:keyType::text is null or (aggregate_type = :keyType and aggregate_id = :keyId))
   and (:messageId::uuid is null or message_id = :messageId::uuid)
   and type like any (:types::text[])
 order by id desc
 limit :limit
