package dev.caravan.lab.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import javax.imageio.ImageIO;

/**
 * The page of results: one section per scenario, each with its command and machine. A run replaces the sections of its
 * scenarios only.
 */
public final class MarkdownReport {
    private static final String HEAD = """
            # Results

            Written by `./caravan bench ... --report FILE`; not to be edited. Each section says how it was made, as sections
            may come from different runs. What is measured: [docs/benchmarks.md](../docs/benchmarks.md).
            """;

    private MarkdownReport() {}

    public static void write(BenchReport report, Path file) throws IOException {
        Map<String, String> sections = new TreeMap<>();
        if (Files.exists(file)) {
            sections.putAll(sections(Files.readString(file)));
        }
        for (ScenarioResult result : report.results()) {
            for (var picture : result.figures().pictures().entrySet()) {
                ImageIO.write(
                        picture.getValue(),
                        "png",
                        file.resolveSibling(fileName(picture.getKey())).toFile());
            }
            sections.put(result.scenario().name(), section(report, result));
        }
        StringBuilder page = new StringBuilder(HEAD);
        sections.forEach((name, text) -> page.append("\n## ")
                .append(name)
                .append("\n\n")
                .append(text.strip())
                .append('\n'));
        Files.writeString(file, page);
    }

    private static String fileName(String picture) {
        return picture.replace(' ', '-') + ".png";
    }

    private static Map<String, String> sections(String page) {
        Map<String, String> sections = new LinkedHashMap<>();
        String[] parts = page.split("(?m)^## ");
        for (int i = 1; i < parts.length; i++) {
            int end = parts[i].indexOf('\n');
            sections.put(parts[i].substring(0, end).strip(), parts[i].substring(end));
        }
        return sections;
    }

    private static String section(BenchReport report, ScenarioResult result) {
        StringBuilder text = new StringBuilder();
        text.append(result.scenario().description()).append("\n\n");
        text.append("| who | figure | median | min | max | unit | of the limit |\n|---|---|--:|--:|--:|---|--:|\n");
        result.figures().lines(cells -> text.append("| %s | %s | %s | %s | %s | %s | %s |\n".formatted(cells)));
        text.append('\n');
        result.figures()
                .pictures()
                .keySet()
                .forEach(name -> text.append("![%s](%s)\n\n".formatted(name, fileName(name))));
        result.goals().forEach(goal -> text.append("- ").append(goal).append('\n'));
        if (result.failed()) {
            text.append("- FAILED: ").append(result.failure()).append('\n');
        }
        text.append("\nMade with `./caravan bench ")
                .append(report.arguments())
                .append("` on ")
                .append(LocalDate.now())
                .append("; load average before: ")
                .append(report.loadBefore())
                .append(". ");
        report.machine()
                .forEach((name, value) ->
                        text.append(name).append(": ").append(value).append("; "));
        return text.append("rounds: ")
                .append(report.size().rounds())
                .append(".\n")
                .toString();
    }
}
