-- The last id that a replay has reached according to its entry in the audit; -1 before its first page. Another entry may have its id
-- after a failover that lost it. Served by outbox_audit_pkey. Parameters: id of the entry, subscription.
select coalesce((detail ->> 'reachedId'::text)::bigint, -1)
  from outbox_audit
 where id = ?
   and subscription = ?
   and action = 'replay'
