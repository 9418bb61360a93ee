package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The names of problems are those that the API documents. */
class ProblemTest {
    private static final Path API = Path.of("src/main/resources/api/openapi.json");

    @Test
    void the_api_documents_the_names_of_all_problems() throws IOException {
        JsonNode names =
                new JsonMapper().readTree(API.toFile()).at("/components/schemas/OverviewProblem/properties/name/enum");

        assertThat(StreamSupport.stream(names.spliterator(), false).map(JsonNode::asText))
                .containsExactlyInAnyOrderElementsOf(Stream.of(Problem.Name.values())
                        .map(Problem.Name::toString)
                        .toList());
    }
}
