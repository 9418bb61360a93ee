-- Creates a subscription that has taken everything up to a position; an existing one keeps its progress.
insert into outbox_subscription (name, lane, position)
select ?, ?, least(?, coalesce((select id from outbox order by id desc limit 1), 0))
on conflict do nothing
