package dev.caravan.cli;

import dev.caravan.adopt.file.YamlFields;
import dev.caravan.adopt.intake.IntakeDraft;
import dev.caravan.adopt.intake.IntakeFile;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.Sentence;
import dev.caravan.routes.context.SettingsBeans;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan intake init}: drafts the file of an intake from a table. */
@Command(
        name = "init",
        sortOptions = false,
        description = {
            "Look at an outbox table in another database and draft the file of an intake: intakes/NAME.yaml.",
            "Reads the description of the table, and of its rows only columns such as status and some payloads; the payloads are not"
                    + " shown. Changes nothing in any database, and overwrites no file. Lines with CHECK in the file need a person.",
            "The database is the data source of the settings (camel.beans.NAME). For a first look without settings, give --url;"
                    + " then the settings to write are printed. The JDBC driver must be in the folder lib: see caravan component"
                    + " add --help."
        })
final class IntakeInitCommand implements Callable<Integer> {
    private static final Pattern LOGIN = Pattern.compile(
            "(?i).*([?;&,](user|username|password|pwd)=|//[^/@]*@|:thin:[^@]*/[^@]*@).*", Pattern.DOTALL);

    @Option(
            names = "--data-source",
            paramLabel = "BEAN",
            description =
                    "Name of the data source in the settings, for example shopDb. With --url: its future name; default: sourceDb.")
    private String dataSource;

    @Option(
            names = "--table",
            paramLabel = "TABLE",
            required = true,
            description = "The table, as a statement of its database has it: outbox, shop.outbox or \"Outbox\".")
    private String table;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description =
                    "Name of the intake: lower-case letters, digits and dashes. Default: that of the file, or else of the table.")
    private String name;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description =
                    "The file to write, or - to print it. Default: NAME.yaml in the folder of the intakes (caravan.intakes).")
    private String file;

    @Option(
            names = "--pending",
            paramLabel = "CONDITION",
            description = "The condition of a row that is not sent yet, as SQL. Default: guessed.")
    private String pending;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "JDBC URL of the database, for a first look without settings.")
    private String url;

    @Option(names = "--user", paramLabel = "USER", description = "With --url.")
    private String user;

    @Option(
            names = "--password",
            paramLabel = "PASSWORD",
            description =
                    "With --url. Other users of this machine may see it: better write env:NAME or file:PATH, which say where it is.")
    private String password;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws Exception {
        requireOptions();
        Settings settings = url == null ? options.ofRelay() : options.ofRelay(bean());
        Path target = target(settings);
        String intake = name(target);
        String source = dataSource == null ? "sourceDb" : dataSource;
        String draft = draft(settings, new IntakeDraft.Request(intake, source, table, Optional.ofNullable(pending)));
        if (isPrinted()) {
            options.print(draft.stripTrailing());
        } else {
            NewFiles.write(Map.of(target, draft));
            options.print("Wrote " + target + ".");
        }
        if (url != null) {
            String lines = "Write into application.properties, and set the variable of the password:\n"
                    + SettingsBeans.lines(source, url, user == null ? "" : user);
            if (isPrinted()) {
                options.report(lines);
            } else {
                options.print(lines);
            }
        }
        if (!isPrinted()) {
            options.print("Correct the lines with CHECK. Then run: ./caravan intake check " + target);
            options.print("A relay reads the files of intakes when it starts.");
        }
        return 0;
    }

    private static String draft(Settings settings, IntakeDraft.Request request) {
        try (SettingsBeans beans = new SettingsBeans(settings);
                Connection connection = beans.connect(request.dataSource())) {
            return IntakeDraft.of(request, connection);
        } catch (SQLException e) {
            // Not an error of the outbox, whose settings an explanation would name.
            throw new CommandFailure("Could not look at the table " + request.table() + ": "
                    + Sentence.of(ErrorText.withoutSecrets(String.valueOf(e.getMessage()))) + " Nothing was written.");
        }
    }

    private void requireOptions() {
        if (url == null && (user != null || password != null)) {
            throw options.wrong("--user and --password need --url. With --data-source they are in the settings.");
        }
        if (url == null && dataSource == null) {
            throw options.wrong("Name the database: --data-source BEAN, a data source of the settings, or --url URL.");
        }
        if (dataSource != null && !dataSource.matches("[A-Za-z][\\w-]*")) {
            throw options.wrong(
                    "--data-source must be the name of a bean: letters, digits, - and _, beginning with a letter.");
        }
        if (url != null && !url.startsWith("jdbc:")) {
            throw options.wrong("--url must be a JDBC URL, such as jdbc:mariadb://HOST:3306/DATABASE.");
        }
        if (url != null && LOGIN.matcher(url).matches()) {
            throw options.wrong(
                    "--url must not contain a user or a password, because it is printed. Use --user and --password.");
        }
        if (name != null && !IntakeFile.isName(name)) {
            throw options.wrong(
                    "--name must have 1 to 50 lower-case letters, digits and dashes, and begin with a letter.");
        }
    }

    /** The settings of a data source that is not in the settings yet. */
    private Map<String, String> bean() {
        String bean = "camel.beans." + (dataSource == null ? "sourceDb" : dataSource);
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(bean, "#class:com.zaxxer.hikari.HikariDataSource");
        settings.put(bean + ".jdbcUrl", url);
        settings.put(bean + ".maximumPoolSize", "1");
        if (user != null) {
            settings.put(bean + ".username", user);
        }
        if (password != null) {
            settings.put(
                    bean + ".password",
                    password.matches("(env|file):.+")
                            ? SecretReference.parse("--password", password)
                                    .read("the data source", options.caravan().environment())
                            : password);
        }
        return settings;
    }

    private boolean isPrinted() {
        return "-".equals(file);
    }

    private Path target(Settings settings) {
        Path folder = IntakeFile.folder(settings);
        return file == null || isPrinted()
                ? folder.resolve((name == null ? ofTable() : name) + ".yaml")
                : Path.of(file);
    }

    private String name(Path target) {
        String ofFile = YamlFields.name(target);
        if (!IntakeFile.isName(ofFile) || !target.toString().matches(".*\\.ya?ml")) {
            throw options.wrong(
                    "--output must be a file NAME.yaml whose name has 1 to 50 lower-case letters, digits and dashes, and"
                            + " begins with a letter: it is the name of the intake.");
        }
        if (name != null && !name.equals(ofFile)) {
            throw options.wrong("--name must be the name of the file of --output, " + ofFile + ", got " + name + ".");
        }
        return ofFile;
    }

    /** {@code order-outbox} for {@code shop."Order_Outbox"}. */
    private String ofTable() {
        String plain = table.replaceFirst("^.*\\.", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^[^a-z]+|-+$", "");
        return plain.isEmpty() ? "intake" : plain.substring(0, Math.min(50, plain.length()));
    }
}
