-- The messages of a key among the newest ones of the outbox, newest first. Keys have no index, which would slow inserts down, so a limited
-- number of messages is read, by outbox_pkey.
select 'in the outbox' as state,
       null::text as subscription,
       id,
       message_id,
       aggregate_type,
       aggregate_id,
       type,
       created_at as at,
       null::text as error_class,
       null::text as error_text
  from (select id, message_id, aggregate_type, aggregate_id, type, created_at
          from outbox
         order by id desc
         limit :examined) newest
 where aggregate_type = :keyType
   and aggregate_id = :keyId
 order by id desc
 limit :limit
