package dev.caravan.console.api;

import dev.caravan.base.message.Mask;
import dev.caravan.base.message.Message;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Sentence;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Role;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.routes.tryout.DryRun;
import dev.caravan.routes.tryout.DryRun.TriedRoute;
import dev.caravan.routes.tryout.DryRunException;
import dev.caravan.routes.tryout.DryRunOptions;
import dev.caravan.routes.tryout.Secrets;
import dev.caravan.routes.tryout.ShownTrial;
import dev.caravan.routes.tryout.Trial;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/** Shows what the current route files would send for a dead letter. Runs them in a separate Camel context, one message at a time. */
final class Trials {
    /** The console waits 10 s for an answer. */
    private static final Duration LIMIT = Duration.ofSeconds(6);

    private final Settings settings;
    private final Mask mask;
    private final Semaphore free = new Semaphore(1);

    Trials(Settings settings, Mask mask) {
        this.settings = settings;
        this.mask = mask;
    }

    /**
     * What the route of its subscription would send for a dead letter. Masked fields and secrets are hidden wherever they occur, and for other
     * roles than admin the credentials that are parts of addresses.
     */
    ShownTrial of(DeadLetter letter, Role role) {
        boolean wholeAddresses = role.includes(Role.ADMIN);
        if (letter.content().leftOut() > 0) {
            throw HttpProblem.conflict(
                    "The message has " + letter.content().leftOut() + " bytes: it is too large to be tried here.");
        }
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
            Trial trial = run.attempt(
                    route.id(),
                    Delivery.fresh(message(letter)).edited(letter.summary().edited()));
            Secrets secrets = run.secrets().and(personal(letter));
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
