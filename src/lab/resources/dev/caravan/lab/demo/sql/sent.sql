-- Every committed message of the demo, to compare with the arrivals.
select message_id, aggregate_id, type,
       (payload ->> 'seq')::bigint as seq,
       payload #>> '{customer,phone}' as phone,
       payload #>> '{customer,email}' as email
from outbox
order by id
