-- What the application has today: mails to send, a poller that sends them, and other code that reads "sent" and "status".
create table email_outbox (
    id bigint generated always as identity primary key,
    recipient text not null,
    subject text not null,
    body text not null,
    status text not null default 'pending', -- pending, queued, sent
    sent boolean not null default false,
    sent_at timestamptz,
    created_at timestamptz not null default clock_timestamp()
);

create index email_outbox_status on email_outbox (status);
