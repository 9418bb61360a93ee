package dev.caravan.cli;

import dev.caravan.deadletter.DeadLetter;
import dev.caravan.deadletter.DeadLetterSearch;
import dev.caravan.deadletter.DeadLetterSummary;
import dev.caravan.deadletter.DeadLetters;
import dev.caravan.deadletter.FrozenSet;
import dev.caravan.deadletter.Pace;
import dev.caravan.deadletter.Signature;
import dev.caravan.deadletter.Sweep;
import dev.caravan.schema.Database;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What retry and discard share: named dead letters at once; many only after they were counted and agreed to. */
abstract class DeadLettersChangeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description = "SUBSCRIPTION ID…, or message ids (UUIDs); or --all with filters.")
    private List<String> names = List.of();

    @Option(names = "--all", description = "All that match the filters now; what dies later is not among them.")
    private boolean all;

    @Mixin
    private DeadLetterFilterOptions filter;

    @Mixin
    private CarefulOptions careful;

    @Mixin
    private SignatureOptions signature;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    /** {@code retry}, for questions. */
    abstract String verb();

    /** {@code retried}, for reports. */
    abstract String done();

    abstract int change(DeadLetters deadLetters, FrozenSet.Chunk chunk, Signature signature) throws SQLException;

    @Override
    public Integer call() throws Exception {
        requireNamesOrAll();
        Signature by = signature.signature();
        Pace pace = careful.pace();
        DataSource database = Database.forCommand(options.settings());
        try (Interruption interruption = new Interruption()) {
            return names.isEmpty()
                    ? changeAll(database, by, pace, interruption)
                    : changeNamed(database, by, pace, interruption);
        }
    }

    private ChangeText text() {
        return new ChangeText(verb(), done());
    }

    private void requireNamesOrAll() {
        if (names.isEmpty() && !all) {
            throw wrongUse(
                    "Name dead letters (SUBSCRIPTION ID, or a message id), or say --all with or without filters.");
        }
        if (!names.isEmpty() && (all || filter.restricts())) {
            throw wrongUse("Name dead letters or select them by --all and filters, not both.");
        }
    }

    private int changeAll(DataSource database, Signature by, Pace pace, Interruption interruption)
            throws SQLException, InterruptedException {
        PublishProgress counting = progress();
        FrozenSet set = new DeadLetterSearch(database).freeze(filter.filter(), found -> {
            counting.at(found);
            return interruption.goOn();
        });
        counting.end();
        if (!interruption.goOn()) {
            tell("Interrupted while counting: nothing was changed.");
            return Interruption.EXIT;
        }
        if (set.size() == 0) {
            String nothing = filter.nothingFound(database) + " Nothing was changed.";
            output.print(() -> nothing, () -> text().counted(set, List.of(), careful.dryRun()));
            return 0;
        }
        if (!careful.dryRun() && !interruption.ask(() -> careful.agreed(text().question(set)))) {
            tell("Nothing was changed.");
            return 0;
        }
        return sweep(database, set, List.of(), by, pace, interruption);
    }

    private int changeNamed(DataSource database, Signature by, Pace pace, Interruption interruption)
            throws SQLException, InterruptedException {
        NamedDeadLetters named = named(database);
        List<DeadLetterSummary> letters = new ArrayList<>();
        for (DeadLetters.Place place : named.found()) {
            named.load(place).map(DeadLetter::summary).ifPresent(letters::add);
        }
        return sweep(database, FrozenSet.of(letters), named.missing(), by, pace, interruption);
    }

    /** The dead letters that the words on the command line name. */
    final NamedDeadLetters named(DataSource database) throws SQLException {
        NamedDeadLetters named = new NamedDeadLetters(database);
        try {
            named.find(filter.subscription(), names);
        } catch (IllegalArgumentException e) {
            throw wrongUse(e.getMessage());
        }
        return named;
    }

    private int sweep(
            DataSource database,
            FrozenSet set,
            List<String> missing,
            Signature by,
            Pace pace,
            Interruption interruption)
            throws SQLException, InterruptedException {
        if (careful.dryRun()) {
            missing.forEach(this::tell);
            output.print(() -> text().wouldChange(set), () -> text().counted(set, missing, true));
            return missing.isEmpty() ? 0 : 1;
        }
        DeadLetters deadLetters = new DeadLetters(database);
        Sweep sweep = new Sweep(chunk -> change(deadLetters, chunk, by), pace);
        boolean whole = runOrTell(sweep, set, interruption);
        missing.forEach(this::tell);
        output.print(() -> text().changed(set, sweep, whole), () -> text().fields(set, sweep, missing));
        if (!whole) {
            return Interruption.EXIT;
        }
        return missing.isEmpty() && (all || sweep.gone() == 0) ? 0 : 1;
    }

    private boolean runOrTell(Sweep sweep, FrozenSet set, Interruption interruption)
            throws SQLException, InterruptedException {
        PublishProgress progress = progress();
        try {
            return sweep.run(set, interruption::goOn, progress::at);
        } catch (SQLException e) {
            tell(text().failed(sweep));
            throw e;
        } finally {
            progress.end();
        }
    }

    final PublishProgress progress() {
        return new PublishProgress(spec.commandLine().getErr(), Boolean.getBoolean("caravan.terminal"));
    }

    final void tell(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }

    final ParameterException wrongUse(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    final List<String> names() {
        return names;
    }

    final boolean isDryRun() {
        return careful.dryRun();
    }

    final OutputOption output() {
        return output;
    }

    final Signature by() {
        return signature.signature();
    }

    final DataSource database() {
        return Database.forCommand(options.settings());
    }
}
