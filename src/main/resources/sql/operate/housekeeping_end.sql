-- When the last lease of housekeeping ended or ends; no row if nobody has ever had it. Served by outbox_lease_pkey.
select until
  from outbox_lease
 where name = 'housekeeping'
