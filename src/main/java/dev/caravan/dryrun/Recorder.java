package dev.caravan.dryrun;

import dev.caravan.destination.Answer;
import dev.caravan.destination.Answers;
import dev.caravan.destination.Recorded;
import dev.caravan.destination.Sent;
import java.util.ArrayList;
import java.util.List;

/** What was sent, in order, and the source of the answers. */
final class Recorder {
    private final Answers answers;
    private final boolean sends;
    private final List<Recorded> recorded = new ArrayList<>();

    /** @param sends whether everything is sent too */
    Recorder(Answers answers, boolean sends) {
        this.answers = answers;
        this.sends = sends;
    }

    boolean sends() {
        return sends;
    }

    /** Records what would be sent; returns the answer to give. */
    Answer answer(Sent sent) {
        Answer answer = answers.to(sent);
        sent(sent, answer);
        return answer;
    }

    /** Records what was sent and answered. */
    synchronized void sent(Sent sent, Answer answer) {
        recorded.add(new Recorded(sent, answer));
    }

    /** Returns and forgets what was recorded. */
    synchronized List<Recorded> take() {
        List<Recorded> taken = List.copyOf(recorded);
        recorded.clear();
        return taken;
    }
}
