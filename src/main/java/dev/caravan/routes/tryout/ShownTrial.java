package dev.caravan.routes.tryout;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.KafkaSent;
import dev.caravan.routes.destination.MailSent;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.destination.SqlSent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A trial as people and JSON see it, with its secrets masked. Names and order of the components are part of the API. */
public record ShownTrial(
        String messageId,
        String type,
        String route,
        String subscription,
        String result,
        String outcome,
        long retryAfterSeconds,
        @JsonUnwrapped Optional<Problem> problem,
        List<ShownSent> sent,
        List<ShownSent> sentByDeadLetterRoute) {
    /** Why the message was not delivered. */
    public record Problem(String errorClass, String errorText, String step) {
        private static Problem of(Failure failure, Secrets secrets) {
            return new Problem(
                    failure.errorClass(), secrets.mask(failure.errorText()), secrets.maskAddress(failure.step()));
        }
    }

    /**
     * What was sent, or would be.
     *
     * @param place only for a record of Kafka
     */
    public record ShownSent(
            String kind,
            String destination,
            @JsonUnwrapped Optional<Place> place,
            List<ShownHeader> headers,
            @JsonUnwrapped Content content,
            int bodyBytes,
            ShownAnswer answer) {
        private static ShownSent of(Recorded recorded, Secrets secrets) {
            Sent sent = recorded.sent();
            boolean isAddress = !(sent instanceof SqlSent || sent instanceof KafkaSent);
            return new ShownSent(
                    sent.kind(),
                    isAddress ? secrets.maskAddress(sent.destination()) : secrets.mask(sent.destination()),
                    sent instanceof KafkaSent record ? Optional.of(Place.of(record, secrets)) : Optional.empty(),
                    sent.headers().stream()
                            .map(header -> new ShownHeader(header.name(), secrets.maskHeader(header)))
                            .toList(),
                    content(sent, secrets),
                    sent.body().array().length,
                    ShownAnswer.of(recorded.answer(), secrets));
        }

        private static Content content(Sent sent, Secrets secrets) {
            if (sent instanceof SqlSent statement) {
                return new Parameters(statement.parameters().stream()
                        .map(value ->
                                Optional.ofNullable(value).map(SqlSent::text).map(secrets::mask))
                        .toList());
            }
            if (sent instanceof MailSent mail) {
                return new Parts(mail.parts().stream()
                        .map(part -> new Part(
                                part.type(),
                                Optional.of(part.fileName())
                                        .filter(name -> !name.isEmpty())
                                        .map(secrets::maskEncoded),
                                secrets.mask(part.content())))
                        .toList());
            }
            boolean isTombstone =
                    sent instanceof KafkaSent record && record.value().isEmpty();
            return new Body(isTombstone ? Optional.empty() : Optional.of(secrets.mask(sent.body())));
        }
    }

    /** Where a record of Kafka belongs. */
    public record Place(Optional<String> key, Optional<Integer> partition) {
        private static Place of(KafkaSent record, Secrets secrets) {
            return new Place(record.key().map(key -> secrets.mask(key)), record.partition());
        }
    }

    public record ShownHeader(String name, String value) {}

    /** What is sent beside the headers. */
    public sealed interface Content permits Body, Parameters, Parts {}

    /** @param body empty for a tombstone */
    public record Body(Optional<String> body) implements Content {}

    /** @param parameters of a statement; empty for NULL */
    public record Parameters(List<Optional<String>> parameters) implements Content {}

    public record Parts(List<Part> parts) implements Content {}

    /** A part of a mail. */
    public record Part(String type, Optional<String> fileName, String content) {}

    public record ShownAnswer(
            String answer, Map<String, String> headers, Optional<String> body, Optional<String> detail) {
        private static ShownAnswer of(Answer answer, Secrets secrets) {
            return new ShownAnswer(
                    answer.toString(),
                    answer.headers(),
                    Optional.of(answer.body()).filter(text -> !text.isEmpty()).map(secrets::mask),
                    Optional.of(answer.detail()).filter(text -> !text.isEmpty()).map(secrets::mask));
        }

        /** Whether it is the answer that destinations give by default. */
        public boolean isDefault() {
            return answer.equals(Answer.OK.toString()) && headers.isEmpty() && body.isEmpty();
        }
    }

    public static ShownTrial of(Trial trial, Secrets secrets) {
        return new ShownTrial(
                trial.message().messageId().toString(),
                trial.message().type(),
                trial.route(),
                trial.subscription(),
                trial.end().name().toLowerCase(Locale.ROOT),
                trial.outcome(),
                trial.retryAfter().toSeconds(),
                Optional.ofNullable(trial.failure()).map(failure -> Problem.of(failure, secrets)),
                sent(trial.recorded(), secrets),
                sent(trial.afterDeath(), secrets));
    }

    private static List<ShownSent> sent(List<Recorded> recorded, Secrets secrets) {
        return recorded.stream().map(each -> ShownSent.of(each, secrets)).toList();
    }
}
