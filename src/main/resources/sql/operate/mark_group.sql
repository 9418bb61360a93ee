-- Marks a group of dead letters, in the transaction of the audit. Changes nothing if no dead letter is in the group and
-- nobody has marked it. A null value is not changed. Served by outbox_dead_letter_group and outbox_error_group_pkey.
insert into outbox_error_group as marked (subscription, error_group, known, note, who)
select named.subscription, named.error_group, coalesce(named.known, false), nullif(named.note, ''), named.who
  from (select :known::boolean as known, :note::text as note, :who::text as who, :subscription::text as subscription, :group::bigint as error_group) named
 where exists (select
                 from outbox_dead_letter
                where outbox_dead_letter.subscription = named.subscription
                  and outbox_dead_letter.error_group = named.error_group)
    or exists (select
                 from outbox_error_group
                where outbox_error_group.subscription = named.subscription
                  and outbox_error_group.error_group = named.error_group)
on conflict (subscription, error_group) do update
set known = case when :changesKnown then excluded.known else marked.known end,
    note = case when :changesNote then excluded.note else marked.note end,
    who = excluded.who,
    at = clock_timestamp()
returning known, note
