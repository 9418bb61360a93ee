package dev.caravan.camel.outbox;

import dev.caravan.engine.loop.LaneChoice;
import dev.caravan.engine.loop.SubscriptionParts;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.Suspendable;
import org.apache.camel.support.DefaultConsumer;
import org.apache.camel.support.service.ServiceHelper;

/** The consumers of the lanes of one subscription. They share the route. */
final class LanesConsumer extends DefaultConsumer implements Suspendable {
    private final LaneChoice choice;
    private final List<OutboxConsumer> lanes;

    LanesConsumer(OutboxEndpoint endpoint, Processor route) {
        super(endpoint, route);
        SubscriptionParts shared = endpoint.shared();
        choice = shared.choice();
        lanes = IntStream.range(0, endpoint.getSubscription().getLanes())
                .mapToObj(number -> endpoint.lane(number, shared, route))
                .toList();
    }

    @Override
    public void setRoute(Route route) {
        super.setRoute(route);
        lanes.forEach(lane -> lane.setRoute(route));
    }

    @Override
    public void setRouteId(String routeId) {
        super.setRouteId(routeId);
        lanes.forEach(lane -> lane.setRouteId(routeId));
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        choice.join();
        ServiceHelper.startService(lanes);
    }

    @Override
    protected void doSuspend() throws Exception {
        choice.leave();
        ServiceHelper.suspendServices(lanes);
        super.doSuspend();
    }

    @Override
    protected void doResume() throws Exception {
        super.doResume();
        choice.join();
        ServiceHelper.resumeServices(lanes);
    }

    /** Stops the lanes in parallel, because each may wait for its messages in flight. */
    @Override
    protected void doStop() throws Exception {
        choice.leave();
        ExecutorService stops = getEndpoint()
                .getCamelContext()
                .getExecutorServiceManager()
                .newFixedThreadPool(this, "outbox-stop", lanes.size());
        try {
            for (var stopped : stops.invokeAll(lanes.stream()
                    .map(lane -> Executors.callable(() -> ServiceHelper.stopService(lane)))
                    .toList())) {
                stopped.get();
            }
        } finally {
            getEndpoint().getCamelContext().getExecutorServiceManager().shutdown(stops);
        }
        super.doStop();
    }
}
