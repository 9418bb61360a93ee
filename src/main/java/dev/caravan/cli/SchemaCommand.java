package dev.caravan.cli;

import dev.caravan.database.Database;
import dev.caravan.partition.Partitions;
import dev.caravan.schema.Schema;
import dev.caravan.settings.Settings;
import dev.caravan.text.Humane;
import java.io.PrintWriter;
import java.sql.SQLException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan schema}: the tables of the outbox. */
@Command(name = "schema", description = "Create or upgrade the tables of the outbox, or print their SQL.")
final class SchemaCommand extends CommandGroup {
    SchemaCommand() {
        super("Say what to do with the schema: apply or print.");
    }

    @Command(
            name = "apply",
            description = "Create or upgrade the tables and make partitions ahead. Safe to repeat at any time.")
    void apply(@Mixin SettingsOptions options) throws SQLException {
        Settings settings = options.settings();
        var database = Database.forLongCommand(settings);
        Partitions partitions = Partitions.from(settings, database);
        database.getConnection().close(); // tells a refusal of the database itself, not of the migration tool
        int migrations = new Schema(database).apply();
        int made = partitions.makeAhead();
        out().println(
                        migrations == 0
                                ? "The tables are up to date."
                                : "Applied " + Humane.counted(migrations, "migration") + ".");
        if (made > 0) {
            out().println("Made " + Humane.counted(made, "partition") + " ahead.");
        }
    }

    @Command(name = "print", description = "Print the SQL, for your own migration tool.")
    void print(@Mixin SettingsOptions options) {
        out().print(Schema.print());
        out().flush();
    }

    private PrintWriter out() {
        return spec().commandLine().getOut();
    }
}
