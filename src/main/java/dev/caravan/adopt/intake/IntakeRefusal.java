package dev.caravan.adopt.intake;

import dev.caravan.adopt.file.FileProblem;
import java.util.List;
import java.util.stream.Collectors;

/** An intake cannot run as its file says; the message has all problems, each with file and line. */
public final class IntakeRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public IntakeRefusal(String message) {
        super(message);
    }

    static void throwIfAny(List<FileProblem> problems) {
        if (!problems.isEmpty()) {
            throw new IntakeRefusal(
                    problems.stream().map(FileProblem::toString).distinct().collect(Collectors.joining("\n")));
        }
    }
}
