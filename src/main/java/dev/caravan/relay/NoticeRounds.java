package dev.caravan.relay;

import dev.caravan.base.clock.Timers;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.operate.explain.Diagnosis;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.NoticeSettings;
import dev.caravan.operate.watch.Notices;
import dev.caravan.operate.watch.Sample;
import dev.caravan.operate.watch.Sampler;
import dev.caravan.routes.context.FilesNotLoaded;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks for problems every 15 s in a separate thread, and writes notices about them. */
final class NoticeRounds implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NoticeRounds.class);
    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private final DataSource database;
    private final Sampler sampler;
    private final RecentSamples samples;
    private final FilesNotLoaded filesNotLoaded;
    private final Notices notices;
    private final ScheduledExecutorService timer = Timers.daemons("notices", 1);

    private String warned = "";

    /** @param repeat the minimum time between two notices of one problem */
    private NoticeRounds(Sampler sampler, RecentSamples samples, FilesNotLoaded filesNotLoaded, Duration repeat) {
        database = sampler.connections();
        this.sampler = sampler;
        this.samples = samples;
        this.filesNotLoaded = filesNotLoaded;
        notices = new Notices(database, repeat);
    }

    /** Empty if no notices are written. */
    static Optional<NoticeRounds> from(
            Settings settings, Sampler sampler, RecentSamples samples, FilesNotLoaded filesNotLoaded) {
        return NoticeSettings.repeat(settings)
                .map(repeat -> new NoticeRounds(sampler, samples, filesNotLoaded, repeat));
    }

    void start() {
        timer.scheduleWithFixedDelay(this::attempt, 0, INTERVAL.toSeconds(), TimeUnit.SECONDS);
    }

    private void attempt() {
        try {
            run();
            warned = "";
        } catch (SQLException | RuntimeException e) {
            warnOnce(e);
        }
    }

    private void run() throws SQLException {
        List<SubscriptionStatus> all = SubscriptionStatus.all(database);
        int written = notices.write(Diagnosis.of(
                database,
                samples,
                all,
                new Intakes(database).list(),
                sampler.latest().map(Sample::partitions).orElse(List.of()),
                filesNotLoaded.names()));
        if (written > 0) {
            LOG.info("Wrote {} to the outbox", written == 1 ? "a notice" : written + " notices");
        }
    }

    /** Warns if a person must correct something in the database. Lanes report an unavailable database, and the next round follows soon. */
    private void warnOnce(Exception e) {
        String text = DatabaseFailure.in(e)
                .filter(failure -> !failure.waitingHelps())
                .map(DatabaseFailure::text)
                .orElse("");
        if (!text.isEmpty() && !text.equals(warned)) {
            LOG.warn(
                    "Could not write notices: {} The relay's role needs: grant insert on outbox, and grant select, insert,"
                            + " update, delete on outbox_notice. Until then problems are not reported",
                    text);
            warned = text;
        } else {
            LOG.debug("Could not write notices, will retry", e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
