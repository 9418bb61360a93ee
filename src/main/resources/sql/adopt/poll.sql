-- What a poller would run. Only explained, never run.
select *
  from {table}
 where ({pending}
 )
 order by {order}
 limit 100
