package dev.caravan.routes.check;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.Formatted;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.operate.watch.NoticeSettings;
import dev.caravan.operate.watch.Notices;
import dev.caravan.routes.component.LibFolder;
import dev.caravan.routes.component.RelayLibraries;
import dev.caravan.routes.component.UserJars;
import dev.caravan.routes.tryout.Secrets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;

/** Checks settings and route files without starting anything. {@code run} does not start if this finds a problem. */
public final class Configuration implements AutoCloseable {
    private final UserJars.Use used;
    private final IdleCamel camel;
    private final CheckedRoutes routes;
    private final List<CheckResult> findings = new ArrayList<>();

    /** @param ofRelay reads settings of a running relay; throws {@link SettingsException} for wrong values */
    public Configuration(Settings settings, List<Consumer<Settings>> ofRelay) throws IOException {
        UserJars jars = UserJars.of(settings);
        used = jars.use();
        CamelMetadata metadata = new CamelMetadata(jars.classLoader());
        CheckedCamelSettings camelSettings = new CheckedCamelSettings(settings, metadata);
        camel = new IdleCamel(settings, camelSettings.usable(settings));
        routes = new CheckedRoutes(camel.context(), metadata, settings);
        findings.addAll(CheckedSettings.findings(settings, ofRelay));
        findings.addAll(ofJars(jars));
        List<CheckResult> ofCamel = ofCamel(camelSettings);
        List<CheckResult> ofRoutes = routes.findings();
        Secrets secrets = camel.secrets();
        Stream.of(ofCamel, ofRoutes)
                .flatMap(List::stream)
                .map(finding -> finding.with(secrets.mask(finding.text())))
                .forEach(findings::add);
        findings.addAll(ofNotices(settings));
    }

    private List<CheckResult> ofCamel(CheckedCamelSettings camelSettings) {
        List<CheckResult> found = new ArrayList<>(camelSettings.findings());
        var outbox = camel.context().getComponent("outbox", OutboxComponent.class);
        outbox.problems().forEach(text -> found.add(CheckResult.problem("settings", "camel.component.outbox", text)));
        if (found.isEmpty() || !camel.finding().ok()) {
            found.add(camel.finding());
        }
        return found;
    }

    private List<CheckResult> ofNotices(Settings settings) {
        boolean isWritten = !settings.text(NoticeSettings.SETTING, "off").equals("off");
        boolean isRead = Notices.TYPES.stream().anyMatch(routes::read);
        return !isWritten || isRead
                ? List.of()
                : List.of(CheckResult.hint(
                        "settings",
                        NoticeSettings.SETTING,
                        "no route reads messages of type caravan.notice.*, so nobody receives the notices."
                                + " Write one: docs/recipes/notices.md"));
    }

    /** @throws SettingsException with all problems at once */
    public static void require(Settings settings, List<Consumer<Settings>> ofRelay) throws Exception {
        try (Configuration configuration = new Configuration(settings, ofRelay)) {
            require("relay. The settings or the routes have problems", configuration.findings());
        }
    }

    /** The same for a process without routes. */
    public static void requireWithoutRoutes(
            Settings settings, List<Consumer<Settings>> ofProcess, Predicate<String> usesOfCamel) {
        require("console. The settings have problems", withoutRoutes(settings, ofProcess, usesOfCamel));
    }

    /**
     * What is found in the settings of a process without routes.
     *
     * @param usesOfCamel whether it uses a setting of Camel
     */
    public static List<CheckResult> withoutRoutes(
            Settings settings, List<Consumer<Settings>> ofProcess, Predicate<String> usesOfCamel) {
        List<CheckResult> findings = new ArrayList<>(CheckedSettings.findings(settings, ofProcess));
        CamelMetadata metadata = new CamelMetadata(Configuration.class.getClassLoader());
        new CheckedCamelSettings(settings, metadata)
                .findings().stream()
                        .filter(finding -> usesOfCamel.test(finding.name()))
                        .forEach(findings::add);
        return findings;
    }

    private static void require(String what, List<CheckResult> findings) {
        List<String> problems = findings.stream()
                .filter(finding -> !finding.ok())
                .map(finding -> "- " + finding.name() + ": " + ErrorText.masked(finding.text())) // it is logged
                .toList();
        if (!problems.isEmpty()) {
            throw new SettingsException(
                    "Could not start the " + what + ":\n" + String.join("\n", problems) + "\nNothing was started.");
        }
    }

    public List<CheckResult> findings() {
        return findings;
    }

    public CheckedRoutes routes() {
        return routes;
    }

    public CamelContext camel() {
        return camel.context();
    }

    @Override
    public void close() throws Exception {
        try {
            camel.close();
        } finally {
            used.close();
        }
    }

    /** Empty if there are no jars. */
    private static List<CheckResult> ofJars(UserJars jars) {
        List<CheckResult> findings = new ArrayList<>();
        jars.problems().forEach((jar, text) -> findings.add(CheckResult.problem("lib", jar, text)));
        if (LibFolder.hasComponents(jars.folder())) {
            new LibFolder(jars.folder(), RelayLibraries.read())
                    .problems()
                    .forEach((component, text) -> findings.add(CheckResult.problem("lib", component, text)));
        }
        if (findings.isEmpty() && !jars.jars().isEmpty()) {
            findings.add(CheckResult.ok(
                    "lib",
                    jars.folder().toString(),
                    Formatted.counted(jars.jars().size(), "jar")));
        }
        return findings;
    }
}
