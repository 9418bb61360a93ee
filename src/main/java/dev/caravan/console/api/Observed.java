package dev.caravan.console.api;

import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.watch.OutboxSurvey;
import dev.caravan.operate.watch.Sample;
import dev.caravan.operate.watch.Sampler;
import dev.caravan.routes.context.FilesNotLoaded;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What this relay has observed of an outbox.
 *
 * @param samples the recent samples
 * @param latest reads the last sample, of any age
 * @param unavailableSince reads since when the database has been unavailable
 * @param always whether samples are taken continuously; false if they are taken only on request
 * @param filesNotLoaded the route files that this relay could not load
 */
record Observed(
        RecentSamples samples,
        Supplier<Optional<Sample>> latest,
        Supplier<Optional<Instant>> unavailableSince,
        boolean always,
        FilesNotLoaded filesNotLoaded) {
    static Observed own(Sampler sampler, RecentSamples samples, FilesNotLoaded filesNotLoaded) {
        return new Observed(samples, sampler::latest, sampler::unavailableSince, true, filesNotLoaded);
    }

    static Observed other(OutboxSurvey survey, String schema) {
        return new Observed(
                survey.samples(schema),
                () -> survey.latest(schema),
                Optional::empty,
                false,
                new FilesNotLoaded()); // the routes of this relay do not read that outbox
    }
}
