package dev.caravan.console.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Mask;
import dev.caravan.base.message.Message;
import dev.caravan.base.message.StoredContent;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Sentence;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Role;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.audit.AuditRetention;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.Shown;
import dev.caravan.routes.tryout.DryRun;
import dev.caravan.routes.tryout.DryRun.TriedRoute;
import dev.caravan.routes.tryout.DryRunException;
import dev.caravan.routes.tryout.DryRunOptions;
import dev.caravan.routes.tryout.Guesses;
import dev.caravan.routes.tryout.Secrets;
import dev.caravan.routes.tryout.ShownTrial;
import dev.caravan.routes.tryout.Trial;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/** Shows what the current route files would send for a dead letter. Runs them in a separate Camel context, one message at a time. */
final class Trials {
    /** The console waits 10 s for an answer. */
    private static final Duration LIMIT = Duration.ofSeconds(6);

    /** Size of an edited message, in characters: its texts are compared with the original ones. */
    private static final int MOST_EDITED = 256 << 10;

    /** Each text is searched for in everything that would be sent, in all encodings. */
    private static final int MOST_WRITTEN = 200;

    private static final StoredContent UNKNOWN =
            new StoredContent(Optional.empty(), Optional.empty(), Optional.empty());

    private final Settings settings;
    private final Mask mask;
    private final Semaphore free = new Semaphore(1);

    Trials(Settings settings, Mask mask) {
        this.settings = settings;
        this.mask = mask;
    }

    /**
     * What the route of its subscription would send for a dead letter. Masked fields and secrets are hidden wherever they occur, and what people
     * have written into it; for other roles than admin also the credentials that are parts of addresses.
     *
     * @param history the changes of it that people made
     */
    ShownTrial of(DeadLetter letter, List<AuditEntry> history, Role role) {
        boolean wholeAddresses = role.includes(Role.ADMIN);
        if (letter.content().leftOut() > 0) {
            throw HttpProblem.conflict(
                    "The message has " + letter.content().leftOut() + " bytes: it is too large to be tried here.");
        }
        Set<String> written = letter.summary().edited() ? written(letter, history) : Set.of();
        if (!free.tryAcquire()) {
            throw HttpProblem.later(503, "Another message is being tried.", 2);
        }
        try (DryRun run = DryRun.start(new DryRunOptions(settings).limit(LIMIT))) {
            String subscription = letter.summary().subscription();
            TriedRoute route = run.routes().stream()
                    .filter(each -> each.subscription().equals(subscription))
                    .findFirst()
                    .orElseThrow(() -> HttpProblem.conflict(
                            "No route in the routes folder of this relay reads outbox:" + subscription + "."));
            Trial trial = run.attempt(route.id(), message(letter));
            Secrets secrets = Secrets.of(settings)
                    .and(run.secrets())
                    .and(personal(letter))
                    .andGuesses(written);
            return ShownTrial.of(trial, wholeAddresses ? secrets : secrets.withoutWholeAddresses());
        } catch (DryRunException e) {
            throw HttpProblem.conflict((wholeAddresses
                            ? Sentence.of(e.getMessage())
                            : "The routes cannot be tried. The reason may contain an address: it is shown to the role admin,"
                                    + " and by ./caravan check where the route files are.")
                    + " Nothing was sent.");
        } finally {
            free.release();
        }
    }

    private List<String> personal(DeadLetter letter) {
        return Stream.of(letter.content().payload(), letter.content().headers())
                .flatMap(document -> document.stream().flatMap(json -> mask.hiddenValues(json).stream()))
                .toList();
    }

    /** Everybody who may edit may also try: without this, a list of guesses in a field that is not masked would tell which one is right. */
    private Set<String> written(DeadLetter letter, List<AuditEntry> history) {
        StoredContent original = isComplete(letter, history)
                ? history.stream()
                        .map(AuditEntry::fields)
                        .filter(detail -> detail.path("messageId")
                                .asText()
                                .equals(letter.summary().messageId().toString()))
                        .map(Trials::original)
                        .flatMap(Optional::stream)
                        .findFirst()
                        .orElse(UNKNOWN)
                : UNKNOWN;
        if (size(letter.content()) > MOST_EDITED || size(original) > MOST_EDITED) {
            throw HttpProblem.conflict("The message was edited and has more than " + MOST_EDITED / 1024
                    + " KB: it is too large to be tried here. Nothing was sent.");
        }
        Set<String> written = Guesses.in(letter.content(), original, mask);
        if (written.size() > MOST_WRITTEN) {
            throw HttpProblem.conflict(
                    "Too much of the message was edited to be tried here: what people have written would have"
                            + " to be hidden, as a guess of a masked field could be among it. Nothing was sent.");
        }
        return written;
    }

    /** Whether the history has the first edit: it is limited in length, and old entries are deleted. */
    private boolean isComplete(DeadLetter letter, List<AuditEntry> history) {
        Duration stored = AuditRetention.retention(settings, "caravan.audit.retention");
        return history.stream().filter(entry -> entry.message().isPresent()).count() < Audit.MOST_OF_MESSAGE
                && letter.summary().firstFailedAt().isAfter(Instant.now().minus(stored));
    }

    private static Optional<StoredContent> original(ObjectNode detail) {
        JsonNode original = detail.path(Shown.ORIGINAL);
        return original.isObject()
                ? Optional.of(new StoredContent(
                        Optional.of(original.path("headers"))
                                .filter(JsonNode::isObject)
                                .map(Json::line),
                        Optional.ofNullable(original.path(Shown.PAYLOAD).textValue()),
                        Optional.ofNullable(original.path("payloadBase64").textValue())
                                .map(Base64.getDecoder()::decode)))
                : Optional.empty();
    }

    private static int size(StoredContent content) {
        return Stream.of(content.headers(), content.payload())
                        .mapToInt(document -> document.map(String::length).orElse(0))
                        .sum()
                + content.bytes().map(bytes -> bytes.length).orElse(0);
    }

    private static Message message(DeadLetter letter) {
        return new Message(
                letter.summary().id(),
                letter.summary().messageId(),
                letter.summary().key(),
                letter.summary().type(),
                letter.content().headers().orElse(null),
                letter.content().payload().orElse(null),
                letter.content().bytes().orElse(null),
                letter.createdAt());
    }
}
