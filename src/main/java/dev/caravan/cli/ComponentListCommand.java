package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.routes.component.CatalogOfComponents;
import dev.caravan.routes.component.LibFolder;
import dev.caravan.routes.component.RelayLibraries;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan component list}: the components that were added, or that can be added. */
@Command(
        name = "list",
        description = {
            "List the components that were added to the folder lib.",
            "With --available: the components, data formats and languages of this version of Camel, and the name with which to"
                    + " add each, unless the relay already has it."
        })
final class ComponentListCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions options;

    @Mixin
    private OutputOption output;

    @Option(names = "--available", description = "List what can be added instead.")
    private boolean available;

    @Override
    public Integer call() {
        Settings settings = options.ofRelay();
        RelayLibraries relay = RelayLibraries.read();
        if (available) {
            List<Map<String, Object>> all = available(relay);
            output.print(() -> availableText(all), () -> all);
        } else {
            var lib = new LibFolder(Path.of(settings.text("caravan.lib", "lib")), relay);
            List<Map<String, Object>> added = added(lib);
            output.print(() -> addedText(added), () -> added);
        }
        return 0;
    }

    private static List<Map<String, Object>> added(LibFolder lib) {
        return lib.components().entrySet().stream()
                .map(component -> Map.<String, Object>of(
                        "name", component.getKey(),
                        "artifact", component.getValue(),
                        "jars", lib.jarsOf(component.getKey())))
                .toList();
    }

    private static String addedText(List<Map<String, Object>> added) {
        if (added.isEmpty()) {
            return "No components were added. ./caravan component add NAME adds one.";
        }
        Table table = new Table("COMPONENT", "ARTIFACT", "JARS>");
        added.forEach(component ->
                table.row(component.get("name"), component.get("artifact"), ((List<?>) component.get("jars")).size()));
        return table.toString();
    }

    private static List<Map<String, Object>> available(RelayLibraries relay) {
        return CatalogOfComponents.read().entries().stream()
                .map(entry -> Map.<String, Object>of(
                        "kind", entry.kind(),
                        "name", entry.name(),
                        "add", entry.component(),
                        "inRelay", relay.versions().containsKey("org.apache.camel:" + entry.artifact())))
                .toList();
    }

    private static String availableText(List<Map<String, Object>> all) {
        Table table = new Table("KIND", "NAME IN ROUTES", "ADD WITH");
        all.forEach(entry -> table.row(
                entry.get("kind"),
                entry.get("name"),
                entry.get("inRelay").equals(true) ? "- (the relay has it)" : entry.get("add")));
        return table.toString();
    }
}
