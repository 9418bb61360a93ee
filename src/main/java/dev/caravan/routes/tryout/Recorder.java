package dev.caravan.routes.tryout;

import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Sent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Records what was sent, in order, and supplies the answers. */
final class Recorder {
    private final Answers answers;
    private final boolean sends;
    private final List<Recorded> recorded = new ArrayList<>();

    /** @param sends whether recorded messages are also sent */
    Recorder(Answers answers, boolean sends) {
        this.answers = answers;
        this.sends = sends;
    }

    boolean sends() {
        return sends;
    }

    /** Records what would be sent; returns the answer to give. */
    Answer answer(Sent sent) {
        return answer(sent, UnaryOperator.identity());
    }

    /** As {@link #answer(Sent)}, but with another answer in place of the simulated one. */
    Answer answer(Sent sent, UnaryOperator<Answer> other) {
        Answer answer = other.apply(answers.to(sent));
        sent(sent, answer);
        return answer;
    }

    /** Records what was sent and answered. */
    synchronized void sent(Sent sent, Answer answer) {
        recorded.add(new Recorded(sent, answer));
    }

    /** Returns and removes what was recorded. */
    synchronized List<Recorded> take() {
        List<Recorded> taken = List.copyOf(recorded);
        recorded.clear();
        return taken;
    }
}
