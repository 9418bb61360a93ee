-- Every committed message of the demo: the truth that arrivals are compared with.
select message_id, aggregate_id, type,
       (payload ->> 'seq')::bigint as seq,
       payload #>> '{customer,phone}' as phone,
       payload #>> '{customer,email}' as email
from outbox
order by id
