package dev.caravan.camel.httpclient;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.step.FieldCopy;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.pool.ManagedConnPool;
import org.apache.hc.core5.pool.StrictConnPool;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;

class LimitedConnectionsTest {
    /** Otherwise a busy connection would not follow a receiver to its new address. */
    @Test
    void a_connection_is_used_for_a_minute_unless_a_user_sets_another_time() {
        PoolingHttpClientConnectionManager ofUser =
                PoolingHttpClientConnectionManagerBuilder.create().build();
        ManagedConnPool<?, ?> pool =
                FieldCopy.value(PoolingHttpClientConnectionManager.class, "pool", ofUser, ManagedConnPool.class);
        FieldCopy.set(StrictConnPool.class, "timeToLive", pool, TimeValue.ofMinutes(10));

        assertThat(longestUse(PoolingHttpClientConnectionManagerBuilder.create().build()))
                .isEqualTo(TimeValue.ofMinutes(1));
        assertThat(longestUse(ofUser)).isEqualTo(TimeValue.ofMinutes(10));
    }

    private static TimeValue longestUse(PoolingHttpClientConnectionManager manager) {
        ManagedConnPool<?, ?> pool = FieldCopy.value(
                PoolingHttpClientConnectionManager.class,
                "pool",
                LimitedConnections.as(manager),
                ManagedConnPool.class);
        return FieldCopy.value(StrictConnPool.class, "timeToLive", pool, TimeValue.class);
    }
}
