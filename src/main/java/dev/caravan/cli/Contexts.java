package dev.caravan.cli;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.NearestName;
import dev.caravan.base.text.Sentence;
import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The file of contexts: properties such as {@code prod.url}, and {@code current}. */
final class Contexts {
    private static final String CURRENT = "current";
    private static final Set<String> FIELDS = Set.of("url", "user", "password", "schema", "config", "confirm");

    private final Path file;
    private final Map<String, OutboxContext> byName = new TreeMap<>();
    private final Optional<String> current;

    private Contexts(Path file, Properties read) {
        this.file = file;
        current = Optional.ofNullable(read.getProperty(CURRENT))
                .map(String::strip)
                .filter(name -> !name.isEmpty());
        Set<String> names = new TreeSet<>();
        for (String setting : read.stringPropertyNames()) {
            if (!setting.equals(CURRENT)) {
                names.add(name(setting));
            }
        }
        names.forEach(name -> byName.put(name, context(name, read)));
    }

    /** The contexts of a person; none if there is no file. */
    static Contexts read(Map<String, String> environment) {
        Path file = file(environment);
        Properties read = new Properties();
        if (Files.exists(file)) {
            try {
                read.load(new StringReader(TextFile.read(file)));
            } catch (IOException | IllegalArgumentException e) {
                throw new SettingsException("Could not read the contexts from " + file + ": "
                        + Sentence.of(e.getMessage()) + " Nothing was changed.");
            }
        }
        return new Contexts(file, read);
    }

    private static Path file(Map<String, String> environment) {
        String named = environment.getOrDefault("CARAVAN_CONFIG", "");
        if (!named.isEmpty()) {
            return path(named);
        }
        String config = environment.getOrDefault("XDG_CONFIG_HOME", "");
        return path(config.isEmpty() ? "~/.config" : config).resolve("caravan").resolve("contexts.properties");
    }

    /** A path in which {@code ~} is the home of the person. */
    static Path path(String text) {
        return text.startsWith("~/")
                ? Path.of(System.getProperty("user.home")).resolve(text.substring(2))
                : Path.of(text).toAbsolutePath();
    }

    private String name(String setting) {
        int dot = setting.lastIndexOf('.');
        String field = setting.substring(dot + 1);
        if (dot < 1 || !setting.substring(0, dot).matches("[A-Za-z0-9_-]+")) {
            throw wrong(setting + " must be NAME.FIELD, such as prod.url");
        }
        if (!FIELDS.contains(field)) {
            throw wrong("there is no field " + field + NearestName.suggestion(field, FIELDS, ""));
        }
        return setting.substring(0, dot);
    }

    private OutboxContext context(String name, Properties read) {
        Map<String, String> fields = FIELDS.stream()
                .filter(field -> read.containsKey(name + "." + field))
                .collect(Collectors.toMap(field -> field, field -> read.getProperty(name + "." + field)
                        .strip()));
        String url = fields.getOrDefault("url", "");
        if (!url.startsWith("jdbc:postgresql:") && !url.startsWith("embedded:")) {
            throw wrong(
                    name
                            + ".url must be a JDBC URL of Postgres, such as jdbc:postgresql://db.example.com/shop, or embedded: and a folder");
        }
        if (url.matches("(?is)jdbc:postgresql://[^/?]*@.*|.*[?&](ssl)?password=.*")) {
            throw wrong(name + ".url must not contain a password. Set " + name + ".password to env:NAME or file:PATH");
        }
        return new OutboxContext(
                name,
                url,
                fields.getOrDefault("user", System.getProperty("user.name")),
                Optional.ofNullable(fields.get("password"))
                        .map(text -> SecretReference.parse(name + ".password in " + file, text)),
                fields.getOrDefault("schema", "public"),
                Optional.ofNullable(fields.get("config")).map(Contexts::path),
                flag(name + ".confirm", fields.getOrDefault("confirm", "false")));
    }

    private boolean flag(String setting, String value) {
        if (!value.equals("true") && !value.equals("false")) {
            throw wrong(setting + " must be true or false, got " + value);
        }
        return value.equals("true");
    }

    private SettingsException wrong(String problem) {
        return new SettingsException(
                "Could not use the contexts in " + file + ": " + Sentence.of(problem) + " Nothing was changed.");
    }

    Path file() {
        return file;
    }

    Collection<OutboxContext> all() {
        return byName.values();
    }

    /** The name of the context that {@code context use} has chosen. */
    Optional<String> current() {
        return current;
    }

    /** @throws SettingsException if no context has this name */
    OutboxContext named(String name) {
        OutboxContext found = byName.get(name);
        if (found == null) {
            throw new SettingsException("There is no context " + name
                    + NearestName.suggestion(name, byName.keySet(), ".")
                    + " Contexts are in " + file + ". Nothing was changed.");
        }
        return found;
    }

    /** Writes the name of the chosen context to the file; the other lines remain unchanged. */
    void use(String name) throws IOException {
        named(name);
        Path real = file.toRealPath(); // otherwise a link would be replaced
        List<String> lines = new ArrayList<>(TextFile.read(real).lines().toList());
        lines.removeIf(line -> line.matches("\\s*" + CURRENT + "\\s*[=:].*"));
        lines.add(0, CURRENT + " = " + name);
        Path written = Files.createTempFile(real.getParent(), ".contexts", null); // readable by its owner only
        Files.write(written, lines);
        Files.move(written, real, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Warnings about files that other accounts of this machine can read or change. */
    List<String> warnings(OutboxContext used) {
        List<String> warnings = new ArrayList<>();
        if (has(file, PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE)) {
            warnings.add("Other accounts may write to " + file + " and choose your databases. Run: chmod go-w " + file);
        }
        used.password()
                .flatMap(SecretReference::file)
                .filter(secret -> has(secret, PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ))
                .ifPresent(secret -> warnings.add(
                        "Other accounts may read the password in " + secret + ". Run: chmod 600 " + secret));
        return warnings;
    }

    private static boolean has(Path file, PosixFilePermission... permissions) {
        try {
            Set<PosixFilePermission> given = Files.getPosixFilePermissions(file);
            return Set.of(permissions).stream().anyMatch(given::contains);
        } catch (IOException | UnsupportedOperationException e) {
            return false; // no such file, or a system without these permissions
        }
    }
}
