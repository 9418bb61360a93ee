package dev.caravan.cli;

import dev.caravan.operate.audit.Audit;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A command that shows all details of named messages.
 *
 * @param <N> how the messages are looked up
 */
abstract class ShowCommand<N extends NamedMessages> implements Callable<Integer> {
    /** The messages in both output formats. */
    static final class Shown {
        private final List<String> texts = new ArrayList<>();
        private final List<Object> fields = new ArrayList<>();

        void add(String text, Object ofMessage) {
            texts.add(text);
            fields.add(ofMessage);
        }
    }

    @Parameters(
            paramLabel = "NAME",
            arity = "1..*",
            description = "SUBSCRIPTION ID… (for dead letters also message ids).")
    private List<String> names;

    @Option(names = "--payload", description = "Also show the payload and header values.")
    private boolean payload;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    abstract N lookUp(DataSource database);

    /**
     * Adds the messages that were found.
     *
     * @param audit the changes by people
     * @param payload whether to show the payload and header values
     */
    abstract void show(N named, DataSource database, Audit audit, boolean payload, Shown shown) throws SQLException;

    @Override
    public Integer call() throws SQLException {
        DataSource database = options.database();
        N named = lookUp(database);
        try {
            named.find(Optional.empty(), names);
        } catch (IllegalArgumentException e) {
            throw options.wrong(e.getMessage());
        }
        Shown shown = new Shown();
        show(named, database, new Audit(database), payload, shown);
        if (!shown.fields.isEmpty()) {
            output.print(String.join("\n\n", shown.texts), shown.fields);
        }
        named.missing().forEach(options::report);
        return named.missing().isEmpty() ? 0 : 1;
    }
}
