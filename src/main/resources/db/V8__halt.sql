-- A relay that finds a position ahead of the sequence stops the subscription until a person says where it goes on.
alter table outbox_subscription
    add column halted_at timestamptz,
    add column halted_reason text,
    add constraint outbox_subscription_halt_has_a_reason check ((halted_at is null) = (halted_reason is null));

comment on column outbox_subscription.halted_at is 'When a relay stopped this subscription, because it would skip messages if it went on. Null otherwise. A person starts it again with subscriptions resume.';
comment on column outbox_subscription.halted_reason is 'What the relay found.';
