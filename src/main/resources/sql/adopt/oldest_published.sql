-- The age of the oldest published message. Served by an index on the order.
select /* caravan doctor */ {age} as seconds
  from {table}
 where ({pending}
       ) is not true
 order by {order}
 limit 1
