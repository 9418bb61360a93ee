package dev.caravan.camel.httpclient;

import dev.caravan.camel.step.FieldCopy;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.io.HttpClientConnectionOperator;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.pool.LaxConnPool;
import org.apache.hc.core5.pool.ManagedConnPool;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.pool.StrictConnPool;
import org.apache.hc.core5.util.TimeValue;

/** Connections with the options of others, and with limits for the head of an answer. */
final class LimitedConnections extends PoolingHttpClientConnectionManager {
    /**
     * Limits of the head of an answer, and of the lines between the chunks of its body. Without them they fill the memory: at 1.6 MB a head is about
     * as long as the longest body, of which there is one for each message in flight.
     */
    private static final Http1Config LIMITED_HEAD = Http1Config.custom()
            .setMaxLineLength(16 * 1024)
            .setMaxHeaderCount(100)
            .build();

    /**
     * A connection that was not used for longer is examined before a request is sent on it, which takes a millisecond: a receiver may have
     * closed it, and the message would cost an attempt. Requests that follow one another do not wait.
     */
    private static final ConnectionConfig EXAMINED = ConnectionConfig.custom()
            .setValidateAfterInactivity(TimeValue.ofMilliseconds(10))
            .build();

    /** A connection that is always in use would go to the old address of a receiver for ever. */
    private static final TimeValue LONGEST_USE = TimeValue.ofMinutes(1);

    private LimitedConnections(
            HttpClientConnectionOperator operator,
            PoolConcurrencyPolicy concurrency,
            PoolReusePolicy reuse,
            TimeValue timeToLive) {
        super(
                operator,
                concurrency,
                reuse,
                timeToLive,
                ManagedHttpClientConnectionFactory.builder()
                        .http1Config(LIMITED_HEAD)
                        .responseParserFactory(none -> new AnswerHeads(LIMITED_HEAD))
                        .build());
    }

    /** Creates connections with the options of a manager, which has no getters for them. */
    static LimitedConnections as(PoolingHttpClientConnectionManager manager) {
        Class<?> type = PoolingHttpClientConnectionManager.class;
        Object pool = FieldCopy.value(type, "pool", manager, ManagedConnPool.class);
        boolean isStrict = pool instanceof StrictConnPool;
        Class<?> poolType = isStrict ? StrictConnPool.class : LaxConnPool.class;
        TimeValue ofUser = FieldCopy.value(poolType, "timeToLive", pool, TimeValue.class);
        boolean isConfigured = FieldCopy.value(type, "connectionConfigResolver", manager, Object.class) != null;
        LimitedConnections answer = new LimitedConnections(
                FieldCopy.value(type, "connectionOperator", manager, HttpClientConnectionOperator.class),
                isStrict ? PoolConcurrencyPolicy.STRICT : PoolConcurrencyPolicy.LAX,
                FieldCopy.value(poolType, "policy", pool, PoolReusePolicy.class),
                isConfigured || TimeValue.isNonNegative(ofUser) ? ofUser : LONGEST_USE);
        answer.setMaxTotal(manager.getMaxTotal());
        answer.setDefaultMaxPerRoute(manager.getDefaultMaxPerRoute());
        for (HttpRoute route : manager.getRoutes()) {
            answer.setMaxPerRoute(route, manager.getMaxPerRoute(route));
        }
        for (String resolver : new String[] {"socketConfigResolver", "connectionConfigResolver", "tlsConfigResolver"}) {
            FieldCopy.set(type, resolver, answer, FieldCopy.value(type, resolver, manager, Object.class));
        }
        if (!isConfigured) { // by a user
            answer.setDefaultConnectionConfig(EXAMINED);
        }
        return answer;
    }
}
