-- The pattern of the error of some groups of dead letters, and what people noted about them. Served by outbox_error_group_pkey.
select outbox_error_pattern(named.error) as pattern,
       marked.known,
       marked.note,
       marked.who,
       marked.at
  from unnest(:subscriptions::text[], :groups::bigint[], :errors::text[]) with ordinality as named (subscription, error_group, error, number)
  left join outbox_error_group as marked
    on marked.subscription = named.subscription
   and marked.error_group = named.error_group
 order by named.number
