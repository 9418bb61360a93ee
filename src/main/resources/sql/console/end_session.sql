-- Stores that a person has ended a session, or completed a sign-in, and deletes those that have expired. Their expiry is written with the
-- clock of a relay, so they are kept an hour longer. Served by outbox_ended_session_pkey.
with expired as (
    delete from outbox_ended_session where expires_at < clock_timestamp() - interval '1 hour'
)
insert into outbox_ended_session (session, expires_at)
values (:session, :end)
on conflict (session) do nothing
