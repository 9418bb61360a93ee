package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LinksTest {
    @ParameterizedTest
    @MethodSource("dev.caravan.docs.DocsPage#all")
    void a_link_to_a_file_or_heading_leads_somewhere(DocsPage page) {
        for (String link : page.links()) {
            if (!link.startsWith("https://")) {
                String[] parts = link.split("#", 2);
                Path target = parts[0].isEmpty()
                        ? page.path()
                        : page.path().resolveSibling(parts[0]).normalize();
                assertThat(Files.exists(target)).as("%s in %s", link, page).isTrue();
                if (parts.length == 2) {
                    assertThat(DocsPage.read(target.toString()).anchors())
                            .as("%s in %s", link, page)
                            .contains(parts[1]);
                }
            }
        }
    }
}
