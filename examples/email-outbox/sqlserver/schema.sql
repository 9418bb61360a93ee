-- What the application has today, in SQL Server: mails to send, a poller that sends them, and other code that reads "Sent".
create table EmailOutbox (
    Id UNIQUEIDENTIFIER not null primary key,
    Recipient NVARCHAR(320) not null,
    Subject NVARCHAR(200) not null,
    Body NVARCHAR(MAX) not null,
    Sent BIT not null default 0,
    SentAt DATETIME2 null,
    Attempts INT not null default 0,
    Error NVARCHAR(1000) null,
    CreatedAt DATETIME2 not null default current_timestamp
);
