package dev.caravan.console.api;

import dev.caravan.camel.outbox.TestOutbox;
import java.sql.SQLException;

/** Sample data of each kind: a subscription {@code sms} that no relay works, with dead letters 1 to 5, and retries from 900101. */
final class Samples {
    private Samples() {}

    static void fill(TestOutbox database) throws SQLException {
        database.execute("""
                insert into outbox (message_id, aggregate_type, aggregate_id, type, headers, payload)
                select md5(n::text)::uuid, 'order', n::text, 'order.created', '{"trace": "t"}', '{"n": 1}' from generate_series(1, 5) n;
                insert into outbox_subscription (name, position, types, gaps) values ('sms', 200, '{%}', '{[3,4)}');
                insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, headers,
                    payload, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, step)
                select 'sms', n, md5(n::text)::uuid, 'order', n::text, 'order.created', '{"trace": "t", "token": "secret"}',
                    '{"n": 1.10, "phone": "+49123", "lines": [{"email": "a@example.com", "price": 1e2}]}', now(), 3,
                    now() - interval '1 hour', now() - n * interval '1 minute',
                    case when n < 4 then 'java.io.IOException' else 'java.net.ConnectException' end, 'broken pipe', 'at', 'http://sms'
                from generate_series(1, 5) n;
                insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, headers,
                    payload, created_at, blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text)
                select 'sms', 900100 + n, md5(n::text)::uuid, 'order', 'busy' || n % 2, 'order.created', null, '{"phone": "+49123"}', now(),
                    n > 2, 2, case when n <= 2 then now() + n * interval '1 hour' end, now() - interval '2 hours', now(),
                    'java.io.IOException', 'provider answered 500'
                from generate_series(1, 10) n;
                insert into outbox_audit (who, action, subscription, message, detail)
                values ('anna', 'retry', 'sms', 1, '{"original": {"payload": {"phone": "+49123"}}}')
                """);
    }
}
