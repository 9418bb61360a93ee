package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestPostgres;
import dev.caravan.camel.outbox.ReadyConnections;
import java.util.List;
import javax.sql.DataSource;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.spi.IdempotentRepository;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class MessageIdsIT {
    @Test
    void ids_are_kept_for_each_subscription_whatever_its_options() throws Exception {
        DataSource database = TestPostgres.server().dataSource(TestPostgres.databaseWithTables());
        try (var camel = new DefaultCamelContext()) {
            camel.getRegistry().bind("dataSource", DataSource.class, database);
            var outbox = ReadyConnections.of(database);
            camel.addComponent("outbox", outbox);
            camel.start();
            Exchange orders = camel.getEndpoint("outbox:orders?types=order.*").createExchange();
            Exchange otherOptions = camel.getEndpoint("outbox:orders?types=*").createExchange();
            Exchange mails = camel.getEndpoint("outbox:mails").createExchange();
            var ids = camel.getRegistry().lookupByNameAndType("messageIds", IdempotentRepository.class);

            assertThat(ids.add(orders, "1")).isTrue();

            assertThat(ids.contains(otherOptions, "1")).isTrue();
            assertThat(ids.contains(mails, "1")).isFalse();
            assertThat(new JdbcTemplate(database)
                            .queryForList("select processorname || messageid from outbox_idempotent", String.class))
                    .isEqualTo(List.of("orders1"));
        }
    }
}
