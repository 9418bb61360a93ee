package dev.caravan.engine.loop;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The lanes of the routes that run in this relay. They are added and removed with the routes. */
public final class RouteLanes {
    /** Is notified when a lane is added or removed, under the lock of this object. Its methods must return quickly. */
    public interface Listener {
        void added(RouteLane lane);

        void removed(RouteLane lane);
    }

    private final Set<RouteLane> lanes = new LinkedHashSet<>();
    private final List<Listener> listeners = new ArrayList<>();

    /** Adds a listener, and notifies it of the current lanes. */
    public synchronized void listen(Listener listener) {
        listeners.add(listener);
        lanes.forEach(listener::added);
    }

    /** Removes a listener, and notifies it that the current lanes are removed. */
    public synchronized void forget(Listener listener) {
        if (listeners.remove(listener)) {
            lanes.forEach(listener::removed);
        }
    }

    /** The current lanes. */
    public synchronized List<RouteLane> all() {
        return List.copyOf(lanes);
    }

    /** Adds a lane; no effect if it is present. */
    public synchronized void add(RouteLane lane) {
        if (lanes.add(lane)) {
            listeners.forEach(listener -> listener.added(lane));
        }
    }

    /** Removes a lane; no effect if it is absent. */
    public synchronized void remove(RouteLane lane) {
        if (lanes.remove(lane)) {
            listeners.forEach(listener -> listener.removed(lane));
        }
    }
}
