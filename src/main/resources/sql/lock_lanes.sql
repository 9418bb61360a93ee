-- Keeps the number of lanes of a subscription as it is to the end of the transaction; saves of relays go on. Statements after this
-- one see the number that it then has. Served by outbox_subscription_pkey.
select lane from outbox_subscription where name = ? order by lane for key share
