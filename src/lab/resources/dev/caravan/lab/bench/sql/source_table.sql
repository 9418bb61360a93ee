-- The outbox table of an application in MariaDB. The column marks counts how often a row was marked: once is right.
create table outbox (
    id char(36) character set ascii not null primary key,
    seq bigint not null auto_increment unique,
    msg_key varchar(100) not null,
    topic varchar(100) not null,
    data json not null,
    state tinyint not null default 0,
    processed_on datetime(6),
    marks int not null default 0,
    key pending (state, seq)
)
