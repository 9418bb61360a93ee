package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class AnswerErrorTest {
    @Test
    void each_error_of_the_clause_poison_record_may_be_about_an_answer() throws Exception {
        String file = Files.readString(Path.of("src/main/resources/built-in/error-handling.camel.yaml"));
        String clause = file.replaceFirst("(?s).*id: poison-record\n", "").replaceFirst("(?s)handled:.*", "");
        List<String> names = Pattern.compile("- (\\S+)")
                .matcher(clause)
                .results()
                .map(name -> name.group(1))
                .toList();

        assertThat(names).hasSizeGreaterThan(10);
        assertThat(AnswerError.CONTENT)
                .containsAll(names)
                .hasSize(names.size() + 2); // JSON of unmarshal, and the clause poison-xml
    }
}
