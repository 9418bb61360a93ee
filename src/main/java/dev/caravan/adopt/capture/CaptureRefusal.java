package dev.caravan.adopt.capture;

import dev.caravan.adopt.file.FileProblem;
import java.util.List;
import java.util.stream.Collectors;

/** A capture could not be installed or removed. The message says why and what to do. Nothing was changed. */
public final class CaptureRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CaptureRefusal(String message) {
        super(message);
    }

    static void throwIfAny(List<FileProblem> problems) {
        if (!problems.isEmpty()) {
            throw new CaptureRefusal("The captures have problems. Nothing was changed.\n"
                    + problems.stream().map(FileProblem::toString).collect(Collectors.joining("\n")));
        }
    }
}
