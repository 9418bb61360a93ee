-- Locks an intake, so that no relay claims it or copies rows meanwhile. Returns the owner of a current lease, the error of a halted one, and
-- the number of rows whose mark in the source is not known to hold. Served by outbox_intake_pkey.
select case when lease_until > clock_timestamp() then coalesce(relay, '') end as holder,
       case when halted then coalesce(error, '') end as halted,
       coalesce(pg_catalog.jsonb_array_length(batch), 0) as unmarked
  from outbox_intake
 where intake = :name
   for update
