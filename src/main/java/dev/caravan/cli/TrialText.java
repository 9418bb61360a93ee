package dev.caravan.cli;

import dev.caravan.base.message.Json;
import dev.caravan.routes.tryout.ShownTrial;
import dev.caravan.routes.tryout.ShownTrial.Body;
import dev.caravan.routes.tryout.ShownTrial.Parameters;
import dev.caravan.routes.tryout.ShownTrial.Parts;
import dev.caravan.routes.tryout.ShownTrial.ShownAnswer;
import dev.caravan.routes.tryout.ShownTrial.ShownSent;
import java.util.Locale;

/** Formats a trial for people. */
final class TrialText {
    private static final String CONTINUATION = "\n             ";

    private TrialText() {}

    static String text(ShownTrial trial, boolean isSent) {
        StringBuilder text =
                new StringBuilder("Message " + trial.messageId() + " (" + trial.type() + ") by route " + trial.route());
        trial.sent().forEach(each -> text.append("\n\n").append(sent(each, isSent)));
        trial.sentByDeadLetterRoute()
                .forEach(each ->
                        text.append("\n\n").append("By route dead-letter: ").append(sent(each, isSent)));
        trial.problem().ifPresent(problem -> {
            text.append("\n\nError: " + problem.errorClass() + ": " + problem.errorText());
            text.append(problem.step().isEmpty() ? "" : "\nStep: " + problem.step());
        });
        return text.append("\n\nResult: " + trial.outcome() + ".").toString();
    }

    private static String sent(ShownSent sent, boolean isSent) {
        StringBuilder text = new StringBuilder(sent.kind() + "  " + continued(sent.destination()));
        sent.place().ifPresent(place -> {
            place.key().ifPresent(key -> line(text, "key", key));
            place.partition().ifPresent(partition -> line(text, "partition", partition.toString()));
        });
        sent.headers().forEach(header -> line(text, "header", header.name() + ": " + header.value()));
        if (sent.content() instanceof Parameters statement) {
            statement.parameters().forEach(value -> line(text, "parameter", value.orElse("null")));
        } else if (sent.content() instanceof Parts mail) {
            mail.parts().forEach(part -> {
                line(text, "part", part.type());
                line(text, "", part.content());
            });
        } else if (sent.content() instanceof Body message) {
            line(text, "body", message.body().orElse("none"));
        }
        answer(text, sent.answer(), isSent);
        return text.toString();
    }

    private static void answer(StringBuilder text, ShownAnswer answer, boolean isSent) {
        if (!isSent && answer.isDefault()) {
            return;
        }
        line(
                text,
                isSent ? "answer" : "(answer)",
                answer.answer() + answer.detail().map(detail -> " " + detail).orElse(""));
        if (!answer.headers().isEmpty()) {
            line(text, "", Json.line(answer.headers()));
        }
        answer.body().ifPresent(body -> line(text, "", body));
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append(String.format(Locale.ROOT, "%n  %-10s ", name)).append(continued(value));
    }

    private static String continued(String value) {
        return value.strip().replaceAll("\\R", CONTINUATION);
    }
}
