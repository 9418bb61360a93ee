-- What the relay that works a lane knows about it, for every other relay, the command line and the console.
alter table outbox_subscription add column delivered bigint not null default 0;
alter table outbox_subscription add column in_flight integer;
alter table outbox_subscription add column latency_millis integer;
alter table outbox_subscription add column destination_away_since timestamptz;
alter table outbox_subscription add column destination_error text;
alter table outbox_subscription add column next_probe_at timestamptz;
alter table outbox_subscription add constraint outbox_subscription_delivered_not_negative check (delivered >= 0);
alter table outbox_subscription add constraint outbox_subscription_in_flight_not_negative check (in_flight >= 0);
alter table outbox_subscription add constraint outbox_subscription_latency_not_negative check (latency_millis >= 0);
alter table outbox_subscription add constraint outbox_subscription_away_with_error_and_probe
    check ((destination_away_since is null) = (destination_error is null) and (destination_away_since is null) = (next_probe_at is null));
alter table outbox_subscription add constraint outbox_subscription_error_is_bounded check (length(destination_error) <= 2000);

comment on column outbox_subscription.delivered is 'How many messages this lane has delivered, also by retries and replays; repeats count again. Saved together with the progress.';
comment on column outbox_subscription.in_flight is 'How many messages its relay had taken and not finished a few seconds ago; null before it said so. Counts only until lease_until, like the columns after it.';
comment on column outbox_subscription.latency_millis is 'Of what was delivered in the few seconds before: the time from created_at that 99 % took at most; null if nothing was delivered.';
comment on column outbox_subscription.destination_away_since is 'Since when the destination is taken to be away; null while it is available.';
comment on column outbox_subscription.destination_error is 'The last error of a destination that is away, in one line without anything of a message, cut to 2000 characters.';
comment on column outbox_subscription.next_probe_at is 'When a destination that is away is probed next.';
