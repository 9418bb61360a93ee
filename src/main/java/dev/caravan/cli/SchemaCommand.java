package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.schema.Schema;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.operate.partition.Partitions;
import java.sql.SQLException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan schema}: commands on the tables of the outbox. */
@Command(name = "schema", description = "Create or upgrade the tables of the outbox, or print their SQL.")
final class SchemaCommand extends CommandGroup {
    SchemaCommand() {
        super("apply", "print");
    }

    @Command(
            name = "apply",
            description =
                    "Create or upgrade the tables, and create partitions ahead of use. Safe to repeat at any time.")
    void apply(@Mixin SettingsOptions options) throws SQLException {
        Settings settings = options.settings();
        var database = Database.forMigrations(settings);
        Partitions partitions = Partitions.from(settings, database);
        database.getConnection()
                .close(); // reports a refusal with the database's own message, not with that of the migration tool
        int migrations = new Schema(database).apply();
        int created = partitions.makeAhead();
        options.print(
                migrations == 0
                        ? "The tables are up to date."
                        : "Applied " + Formatted.counted(migrations, "migration") + ".");
        if (created > 0) {
            options.print("Created " + Formatted.counted(created, "partition") + " ahead of use.");
        }
        new SchemaCheck(database).adviceOnOwner().ifPresent(advice -> options.print("Advice: " + advice));
    }

    @Command(name = "print", description = "Print the SQL, for your own migration tool.")
    void print(@Mixin SettingsOptions options) {
        options.out().print(Schema.print(OutboxSchema.of(options.settings())));
        options.out().flush();
    }
}
