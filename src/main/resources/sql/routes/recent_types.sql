-- The types of the newest messages of the outbox, for a hint about patterns that match none of them. The type has no index, which would slow
-- inserts down: a limited number of messages is read, by outbox_pkey.
select distinct type
  from (select type
          from outbox
         order by id desc
         limit :messages) newest
 order by type
