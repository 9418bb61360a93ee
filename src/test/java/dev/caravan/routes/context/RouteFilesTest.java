package dev.caravan.routes.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RouteFilesTest {
    @TempDir
    private Path folder;

    @Test
    void routes_are_yaml_xml_and_java_and_settings_templates_and_hidden_files_are_understood() throws Exception {
        Files.writeString(
                folder.resolve("a.camel.yaml"), "to: email:{{mail.template}}, text: \"file:sms-${header.type}.txt\"");
        Files.writeString(folder.resolve("b.camel.xml"), "<routes/>");
        Files.writeString(folder.resolve("C.java"), "class C {}");
        Files.writeString(folder.resolve("mail.properties"), "mail.template = welcome");
        for (String name : List.of(
                "welcome.html",
                "welcome.txt",
                "welcome.mustache",
                "sms-order.placed.txt",
                "README",
                "notes.md",
                ".lock",
                "a~",
                "old.yaml.off")) {
            Files.writeString(folder.resolve(name), "");
        }
        Files.createDirectory(folder.resolve("..data"));
        Files.createDirectory(folder.resolve("templates"));

        assertThat(RouteFiles.in(folder)).containsOnlyKeys("a.camel.yaml", "b.camel.xml", "C.java");
        assertThat(RouteFiles.unrecognized(folder)).isEmpty();
    }

    @Test
    void every_other_file_is_named_with_what_to_do() throws Exception {
        for (String name : List.of("a.yaml", "a.camel.yml", "a.xml", "Orders.kt", "a.txt", "a.camel.yaml.bak")) {
            Files.writeString(folder.resolve(name), "");
        }

        Map<String, String> problems = RouteFiles.unrecognized(folder);

        assertThat(problems).hasSize(6);
        assertThat(problems.get("a.yaml")).contains("end in .camel.yaml. Rename it to a.camel.yaml");
        assertThat(problems.get("a.camel.yml")).contains("Rename it to a.camel.yaml");
        assertThat(problems.get("a.xml")).contains("Rename it to a.camel.xml");
        assertThat(problems.get("Orders.kt"))
                .contains("is not a route file (*.camel.yaml, *.camel.xml and *.java)", "rename it to Orders.kt.off");
    }
}
