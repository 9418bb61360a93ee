package dev.caravan.routes.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.camel.catalog.DefaultCamelCatalog;
import org.apache.camel.tooling.model.ArtifactModel;
import org.junit.jupiter.api.Test;

class CatalogOfComponentsTest {
    /** After an upgrade of Camel: copy the expected lines into the file. */
    @Test
    void the_file_lists_what_the_catalog_of_this_version_of_camel_lists() {
        var camel = new DefaultCamelCatalog();
        TreeSet<String> expected = new TreeSet<>();
        camel.findComponentNames().forEach(name -> {
            var model = camel.componentModel(name);
            String others = model.getAlternativeSchemes() == null ? "" : model.getAlternativeSchemes();
            Stream.concat(Stream.of(name), Stream.of(others.split(",")))
                    .filter(scheme -> !scheme.isEmpty())
                    .forEach(scheme -> add("component " + scheme, model, expected));
        });
        camel.findDataFormatNames().forEach(name -> add("dataformat " + name, camel.dataFormatModel(name), expected));
        camel.findLanguageNames().forEach(name -> add("language " + name, camel.languageModel(name), expected));

        List<String> listed = CatalogOfComponents.read().entries().stream()
                .map(entry -> entry.kind() + " " + entry.name() + " " + entry.artifact())
                .toList();

        assertThat(listed).containsExactlyElementsOf(expected);
    }

    private static void add(String what, ArtifactModel<?> model, TreeSet<String> lines) {
        if (model.getGroupId().equals("org.apache.camel")) {
            lines.add(what + " " + model.getArtifactId());
        }
    }

    @Test
    void a_hint_names_the_command_and_there_is_none_for_an_unknown_name() {
        assertThat(CatalogOfComponents.hint("component", "sftp"))
                .contains("needs camel-ftp: ./caravan component add ftp");
        assertThat(CatalogOfComponents.hint("component", "nowhere")).isEmpty();
    }
}
