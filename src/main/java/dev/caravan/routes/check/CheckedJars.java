package dev.caravan.routes.check;

import dev.caravan.base.text.Formatted;
import dev.caravan.routes.component.LibFolder;
import dev.caravan.routes.component.RelayLibraries;
import dev.caravan.routes.component.UserJars;
import java.util.ArrayList;
import java.util.List;

/** Checks the jars of the folder {@code lib}. */
final class CheckedJars {
    private static final String AREA = "lib";

    private CheckedJars() {}

    /** Empty if there are no jars. */
    static List<CheckResult> findings(UserJars jars) {
        List<CheckResult> findings = new ArrayList<>();
        jars.problems().forEach((jar, text) -> findings.add(CheckResult.problem(AREA, jar, text)));
        if (LibFolder.hasComponents(jars.folder())) {
            new LibFolder(jars.folder(), RelayLibraries.read())
                    .problems()
                    .forEach((component, text) -> findings.add(CheckResult.problem(AREA, component, text)));
        }
        if (findings.isEmpty() && !jars.jars().isEmpty()) {
            findings.add(CheckResult.ok(
                    AREA,
                    jars.folder().toString(),
                    Formatted.counted(jars.jars().size(), "jar")));
        }
        return findings;
    }
}
