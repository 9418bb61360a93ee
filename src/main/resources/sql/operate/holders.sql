-- For each of some ranges of ids, in their order, the subscriptions that have not finished its ids, in order of name, and why.
-- A missing id that an open transaction may still fill is in the gaps of every subscription that has passed it. So an empty
-- intersection with the gaps also means that no later visible message is unread. A position ahead of the sequence says nothing about the
-- messages below it: until a person resumes the halted subscription after an id, it needs every partition.
-- Reads outbox_subscription once.
-- Postgres stores long gaps compressed and out of line, but not the result of an operator: so they are fetched once, not for each range
with progress as materialized (
    select name, paused, halted_at, saved_at, position, gaps operator(pg_catalog.+) coalesce(older_gaps, '{}') as gaps,
           halted_at is not null or position > (select last_value - (not is_called)::int from outbox_id_seq) as ahead
      from outbox_subscription
)
select holder.names, holder.reasons
  from rows from (pg_catalog.unnest(:lowers::bigint[]), pg_catalog.unnest(:uppers::bigint[])) with ordinality as ranged (lower, upper, place)
 cross join lateral (select coalesce(pg_catalog.array_agg(name order by name), '{}') as names,
                            coalesce(pg_catalog.array_agg(reason order by name), '{}') as reasons
                       from (select name,
                                    case when bool_or(halted_at is not null) then 'halted'
                                         when bool_or(paused) then 'paused'
                                         when min(saved_at) < clock_timestamp() - interval '1 minute' then 'no relay'
                                         when bool_or(position < ranged.upper - 1 or ahead) then 'behind'
                                         else 'gap' end as reason
                               from progress
                              where position < ranged.upper - 1
                                 or gaps operator(pg_catalog.&&) int8range(ranged.lower, ranged.upper)
                                 or ahead
                              group by name) holding) holder
 order by ranged.place
