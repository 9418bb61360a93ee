package dev.caravan.relay;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** The end of YAML routes, which name it by its class: records the ids that arrive, by the id of the route. */
public final class Arrivals implements Processor {
    private static final Map<String, List<Long>> IDS = new ConcurrentHashMap<>();

    @Override
    public void process(Exchange exchange) {
        Long id = exchange.getMessage().getHeader(OutboxConstants.POSITION, Long.class);
        String mark = exchange.getMessage().getHeader("mark", "", String.class);
        List<Long> ids = of(exchange.getFromRouteId() + mark);
        synchronized (ids) {
            ids.add(id);
        }
    }

    private static List<Long> of(String route) {
        return IDS.computeIfAbsent(route, name -> new ArrayList<>());
    }

    /** The ids that arrived at a route, or at a route and a mark that it sets. */
    static List<Long> at(String route) {
        List<Long> ids = of(route);
        synchronized (ids) {
            return List.copyOf(ids);
        }
    }

    public static void forget() {
        IDS.clear();
    }
}
