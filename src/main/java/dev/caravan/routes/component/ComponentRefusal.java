package dev.caravan.routes.component;

/** A component cannot be added or removed. The message says why, and what to do. */
public final class ComponentRefusal extends RuntimeException {
    public ComponentRefusal(String message) {
        super(message);
    }

    ComponentRefusal(String message, Throwable cause) {
        super(message, cause);
    }
}
