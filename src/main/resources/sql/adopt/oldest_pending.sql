-- The oldest pending message, its age, and how many newer messages are published, counted up to a bound. One statement, so that a message
-- that is published meanwhile is not counted as stuck. Served by a partial index on what is pending, and by an index on the order.
with oldest as (
    select /* caravan doctor */ {order} as place, {shown-id}::text as id, {age} as seconds
      from {table}
     where ({pending}
     )
     order by {order}
     limit 1
)
select oldest.id,
       oldest.seconds,
       (select count(*)
          from (select
                  from {table}
                 where {order} > oldest.place
                   and (({pending}
                   ) is not true)
                 limit {most}) newer) as newer
  from oldest
