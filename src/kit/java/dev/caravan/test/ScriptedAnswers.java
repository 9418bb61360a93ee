package dev.caravan.test;

import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.tryout.Answers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** The answers that a test has set, given one after the other. A destination without answers accepts everything. Thread-safe. */
final class ScriptedAnswers implements Answers {
    private record Script(String destination, Deque<Answer> answers) {}

    private final List<Script> scripts = new ArrayList<>();

    /** @param destination a part of the address of the destinations that give these answers; empty for all */
    synchronized void give(String destination, Answer... answers) {
        if (answers.length == 0) {
            throw new IllegalArgumentException("Name at least one answer");
        }
        scripts.add(0, new Script(destination, new ArrayDeque<>(Arrays.asList(answers))));
    }

    synchronized void clear() {
        scripts.clear();
    }

    @Override
    public synchronized Answer to(Sent sent) {
        return scripts.stream()
                .filter(script -> sent.destination().contains(script.destination()))
                .findFirst()
                .map(script -> script.answers().size() > 1
                        ? script.answers().poll()
                        : script.answers().peek())
                .orElse(Answer.OK);
    }
}
