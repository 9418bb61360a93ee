-- The state of each partition of the outbox, in order of id. outbox_default comes last and spans the ids that it holds.
-- in_use: ids are drawn from its range now. passed: it is older than the retention (null without a retention); an empty partition
-- counts as older. When the newest message has a time in the future (also infinity), the message after the partition,
-- which was written later, decides the age. holders and reasons: subscriptions that have not finished its ids, in order of name.
-- A missing id that an open transaction may still fill is in the gaps of every subscription that has passed it. So an empty
-- intersection with the gaps also means that no later visible message is unread. A position ahead of the sequence says nothing about the
-- messages below it: until a person resumes the halted subscription after an id, it needs every partition.
-- Reads the catalog, and the first and last row of each partition by outbox_pkey; rows_estimate comes from statistics.
-- The size is read from the file system, which takes as long as the rest of the statement; so it is optional.
-- Parameters: retention in seconds, null for no limit; whether to look up sizes.
with retention (seconds, sizes) as (
    values (?::double precision, ?::boolean)
),
sequence as (
    select last_value - (not is_called)::int as last_id
      from outbox_id_seq
),
part as (
    select class.oid,
           class.relname as name,
           class.reltuples,
           pg_get_expr(class.relpartbound, class.oid) = 'DEFAULT' as is_default,
           regexp_match(pg_get_expr(class.relpartbound, class.oid),
                        'FROM \(''?([^'')]+)''?\) TO \(''?([^'')]+)''?\)') as edges
      from pg_inherits
      join pg_class class on class.oid = pg_inherits.inhrelid
     where pg_inherits.inhparent = to_regclass('outbox')::oid
       and not pg_inherits.inhdetachpending
),
bounded as (
    select oid, name, reltuples, is_default,
           case edges[1] when 'MINVALUE' then -9223372036854775808 else edges[1]::bigint end as lower,
           case edges[2] when 'MAXVALUE' then 9223372036854775807 else edges[2]::bigint end as upper
      from part
     where not is_default
),
-- the ids that only outbox_default can contain: selected by range and not from the table itself, which the role may not be allowed to read
hole as (
    select coalesce(pg_catalog.lower(ids), -9223372036854775808) as lower, coalesce(pg_catalog.upper(ids), 9223372036854775807) as upper
      from (select pg_catalog.unnest('{(,)}'::int8multirange operator(pg_catalog.-) coalesce(pg_catalog.range_agg(int8range(lower, upper)), '{}')) as ids
              from bounded) uncovered
),
defaulted as (
    select min(first.id) as lower, max(last.id) + 1 as upper
      from hole
     cross join lateral (select id from outbox where id >= hole.lower and id < hole.upper order by id limit 1) first
     cross join lateral (select id from outbox where id >= hole.lower and id < hole.upper order by id desc limit 1) last
),
-- Postgres stores long gaps compressed and out of line, but not the result of an operator: so they are fetched once, not for each partition
progress as materialized (
    select name, paused, halted_at, saved_at, position, gaps operator(pg_catalog.+) coalesce(older_gaps, '{}') as gaps,
           halted_at is not null or position > sequence.last_id as ahead
      from outbox_subscription
     cross join sequence
),
ranged as (
    select * from bounded
    union all
    select part.oid, part.name, part.reltuples, part.is_default, defaulted.lower, defaulted.upper
      from part
     cross join defaulted
     where part.is_default
)
select ranged.oid,
       ranged.name,
       ranged.is_default,
       ranged.lower,
       ranged.upper,
       nullif(ranged.reltuples, -1::real)::bigint as rows_estimate,
       case when retention.sizes then pg_total_relation_size(ranged.oid::regclass) end as bytes,
       oldest.created_at as oldest,
       newest.created_at as newest,
       ranged.lower > sequence.last_id as ahead,
       ranged.upper > sequence.last_id
           or (ranged.is_default
               and not exists (select
                                 from ranged cover
                                where not cover.is_default
                                  and sequence.last_id + 1 >= cover.lower
                                  and sequence.last_id + 1 < cover.upper)) as in_use,
       case when newest.created_at is null then retention.seconds is not null
            else coalesce(coalesce(following.created_at, newest.created_at)
                              < clock_timestamp() - retention.seconds::double precision * interval '1 second', false) end as passed,
       exists (select from outbox_subscription) as has_subscription,
       holder.names,
       holder.reasons
  from ranged
 cross join retention
 cross join sequence
  left join lateral (select created_at
                       from outbox
                      where id >= ranged.lower and id < ranged.upper
                      order by id
                      limit 1) oldest on true
  left join lateral (select created_at
                       from outbox
                      where id >= ranged.lower and id < ranged.upper
                      order by id desc
                      limit 1) newest on true
  left join lateral (select created_at
                       from outbox
                      where id >= ranged.upper
                        and newest.created_at > clock_timestamp()
                      order by id
                      limit 1) following on true
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
 order by ranged.is_default, ranged.lower
