package dev.caravan.loop;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The lanes of the routes that run in this relay. They come and go with the routes. */
public final class WorkedLanes {
    /** Is told when a lane comes or goes, never both at once; has to be quick. */
    public interface Listener {
        void joined(WorkedLane lane);

        void left(WorkedLane lane);
    }

    private final Set<WorkedLane> lanes = new LinkedHashSet<>();
    private final List<Listener> listeners = new ArrayList<>();

    /** From now on tells a listener, first of the lanes that are there. */
    public synchronized void listen(Listener listener) {
        listeners.add(listener);
        lanes.forEach(listener::joined);
    }

    /** Those that are there now. */
    public synchronized List<WorkedLane> all() {
        return List.copyOf(lanes);
    }

    public synchronized void join(WorkedLane lane) {
        if (lanes.add(lane)) {
            listeners.forEach(listener -> listener.joined(lane));
        }
    }

    public synchronized void leave(WorkedLane lane) {
        if (lanes.remove(lane)) {
            listeners.forEach(listener -> listener.left(lane));
        }
    }
}
