package dev.caravan.capture;

/** A capture could not be installed or removed. The message says why and what to do. Nothing was changed. */
public final class CaptureRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CaptureRefusal(String message) {
        super(message);
    }
}
