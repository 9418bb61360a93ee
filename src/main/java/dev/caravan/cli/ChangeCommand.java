package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.database.Database;
import dev.caravan.selection.BulkChange;
import dev.caravan.selection.ChangePace;
import dev.caravan.selection.Selection;
import dev.caravan.selection.Versioned;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongPredicate;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What all changes of messages share: named ones at once; many only after they were counted and agreed to. */
abstract class ChangeCommand implements Callable<Integer> {
    /**
     * Messages that a person named.
     *
     * @param found those that can be changed
     * @param missing what does not exist or cannot be changed, one sentence each
     */
    record Named(List<? extends Versioned> found, List<String> missing) {}

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description = "SUBSCRIPTION ID… (dead letters also by message id); or --all with filters.")
    private List<String> names = List.of();

    @Option(names = "--all", description = "All that match the filters now; what comes later is not among them.")
    private boolean all;

    @Mixin
    private CarefulOptions careful;

    @Mixin
    private SignatureOptions signature;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    /** What is said about it. */
    abstract ChangeText text();

    /** Whether a filter other than the subscription is given. */
    abstract boolean isFiltered();

    /** Why nothing matches. */
    abstract String nothingFound(DataSource database) throws SQLException;

    /** @param going is told how many were found so far, and ends the search with false */
    abstract Selection freeze(DataSource database, LongPredicate going) throws SQLException;

    abstract Named named(DataSource database) throws SQLException;

    abstract BulkChange.Change change(DataSource database, Actor by);

    /** Whether a few of many go first. */
    BulkChange.Trial trial(DataSource database) {
        return BulkChange.Trial.NONE;
    }

    @Override
    public Integer call() throws Exception {
        requireNamesOrAll();
        Actor by = signature.signature();
        ChangePace pace = careful.pace();
        DataSource database = database();
        try (Interruption interruption = new Interruption()) {
            return names.isEmpty()
                    ? changeAll(database, by, pace, interruption)
                    : changeNamed(database, by, pace, interruption);
        }
    }

    private void requireNamesOrAll() {
        if (names.isEmpty() && !all) {
            throw wrongUse("Name " + text().thing() + "s (SUBSCRIPTION ID), or say --all with or without filters.");
        }
        if (!names.isEmpty() && (all || isFiltered())) {
            throw wrongUse("Name " + text().thing() + "s or select them by --all and filters, not both.");
        }
    }

    private int changeAll(DataSource database, Actor by, ChangePace pace, Interruption interruption)
            throws SQLException, InterruptedException {
        PublishProgress counting = progress();
        Selection set = freeze(database, found -> {
            counting.at(found);
            return interruption.goOn();
        });
        counting.end();
        if (!interruption.goOn()) {
            tell("Interrupted while counting: nothing was changed.");
            return Interruption.EXIT;
        }
        if (set.size() == 0) {
            String nothing = nothingFound(database) + " Nothing was changed.";
            output.print(() -> nothing, () -> text().counted(set, List.of(), careful.dryRun()));
            return 0;
        }
        if (!careful.dryRun() && !interruption.ask(() -> careful.agreed(text().question(set)))) {
            tell("Nothing was changed.");
            return 0;
        }
        return sweep(database, set, List.of(), by, pace, interruption);
    }

    private int changeNamed(DataSource database, Actor by, ChangePace pace, Interruption interruption)
            throws SQLException, InterruptedException {
        Named named = named(database);
        return sweep(database, Selection.of(named.found()), named.missing(), by, pace, interruption);
    }

    /** Looks up what the words on the command line name. */
    final <N extends NamedMessages> N lookUp(N named, Optional<String> subscription) throws SQLException {
        try {
            named.find(subscription, names);
            return named;
        } catch (IllegalArgumentException e) {
            throw wrongUse(e.getMessage());
        }
    }

    private int sweep(
            DataSource database,
            Selection set,
            List<String> missing,
            Actor by,
            ChangePace pace,
            Interruption interruption)
            throws SQLException, InterruptedException {
        if (careful.dryRun()) {
            missing.forEach(this::tell);
            output.print(() -> text().wouldChange(set), () -> text().counted(set, missing, true));
            return missing.isEmpty() ? 0 : 1;
        }
        BulkChange sweep = new BulkChange(change(database, by), pace, all ? trial(database) : BulkChange.Trial.NONE);
        boolean whole = runOrTell(sweep, set, interruption);
        missing.forEach(this::tell);
        output.print(() -> text().changed(set, sweep, whole), () -> text().fields(set, sweep, missing));
        sweep.refusal().ifPresent(this::tell);
        if (!whole) {
            return Interruption.EXIT;
        }
        if (sweep.refusal().isPresent()) {
            return 1;
        }
        return missing.isEmpty() && (all || sweep.gone() == 0) ? 0 : 1;
    }

    private boolean runOrTell(BulkChange sweep, Selection set, Interruption interruption)
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

    final Actor by() {
        return signature.signature();
    }

    final DataSource database() {
        return Database.forCommand(options.settings());
    }
}
