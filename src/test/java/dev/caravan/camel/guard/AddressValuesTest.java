package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.FieldException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.ExtendedCamelContext;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultComponent;
import org.apache.camel.support.DefaultEndpoint;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Camel reads from a computed address: the value, in each option and in the path. */
class AddressValuesTest {
    private static final DefaultCamelContext CAMEL = new DefaultCamelContext();

    /** Placeholders, and what Camel cannot take in each place. */
    private static final Pattern DEAD = Pattern.compile("\\{\\{|[\n\u00a0?#]");

    @BeforeAll
    static void start() {
        CAMEL.addComponent("read", new Read());
        CAMEL.start();
    }

    @AfterAll
    static void stop() throws Exception {
        CAMEL.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "read:x?a=${v}; a; ${v}",
                "read:x?a=RAW(${v}); a; ${v}",
                "read:x?b=RAW(2)&a=${v}&c=3; a; ${v}",
                "read:x?b=2+3%2B%4&a=${v}; a; ${v}",
                "read:x?c=3&b=RAW(${v})&a=RAW{${v}}; a; ${v}",
                "read:x?b=1&a=t2-${v}-${w}; a; t2-${v}-${v}",
                "read:x?a=+%2B${v}%41&b=RAW(%25${v}); a; ' +${v}A'",
                "read:x?a=+%2B${v}%41&b=RAW(%25${v}); b; '%${v}'",
                "read:x?a=${v}+|+${w}; a; ${v} | ${v}",
                "read:${v}; ''; ${v}",
                "read:x/${v}/y?b=1; ''; x/${v}/y",
                "read:x%2541%20/${v}?b=a+b; ''; xA /${v}",
                "read:x like '%${v}%' y; ''; x like '%${v}%' y",
                "read:x%4${v}/%25${v}|y?b=%${v}; ''; x%4${v}/%${v}|y",
                "read:x?b=%${v}%; b; %${v}%",
                "read:x/${v}41/y; ''; x/${v}41/y",
                "read://x-${v}-${v}?b=RAW(2); ''; x-${v}-${v}",
            })
    void a_value_arrives_as_it_is(String text, String name, String expected) {
        for (String value : values()) {
            String sent = value.contains("{{") ? null : sendable(text, value);
            assertThat(sent != null || DEAD.matcher(value).find())
                    .as("%s for %s is sent", text, value)
                    .isTrue();
            if (sent != null) {
                assertThat(read(sent))
                        .as("%s of %s for %s sent as %s", name, text, value, sent)
                        .containsEntry(name, expected.replace("${v}", value));
            }
        }
    }

    /** @return null if the message is dead */
    private static String sendable(String text, String value) {
        try {
            String sample = FilledText.sample(text).orElseThrow();
            int count = (int)
                    sample.chars().filter(each -> each == FilledText.VALUE).count();
            return (String) new AddressTemplate("", Set.of("httpMethod", "proxyHost"), HttpAddress::whole)
                    .sent(new FilledText(sample, Collections.nCopies(count, value)));
        } catch (FieldException e) {
            return null;
        }
    }

    /** As toD does. Camel keeps endpoints, and must not take one for another. */
    private static Map<String, Object> read(String address) {
        ExtendedCamelContext camel = CAMEL.getCamelContextExtension();
        return ((ReadEndpoint) camel.getEndpoint(camel.normalizeUri(address.strip()))).read;
    }

    private static List<String> values() {
        List<String> values = new ArrayList<>(List.of(
                "+49",
                "50%25",
                "50%",
                "a%41@b.example",
                "a+b",
                "a b",
                "a%2Bb",
                "a%20b",
                "a b",
                "a ",
                "  a",
                "l1\nl2",
                "%",
                "%%41",
                "%2541",
                "ü €",
                "a)b%41",
                "a}b%25)",
                "{a",
                "[a]",
                "x=y",
                "'a'",
                "a\\b",
                "|<>^`~",
                "true",
                "a;b,c",
                "RAW",
                "a&b=c",
                "a?b#c",
                "a#b&c?",
                "a)&b",
                "a}&b)c",
                "$1",
                "\u00a0x",
                "😀"));
        Random random = new Random(7);
        String signs = "aA+%2541)}({& \n=;,:'\\";
        for (int i = 0; i < 300; i++) {
            values.add(random.ints(1 + random.nextInt(8), 0, signs.length())
                    .mapToObj(at -> signs.substring(at, at + 1))
                    .collect(Collectors.joining()));
        }
        return values;
    }

    private static final class Read extends DefaultComponent {
        @Override
        protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) {
            Map<String, Object> read = new TreeMap<>(parameters);
            read.put("", remaining);
            parameters.clear();
            return new ReadEndpoint(uri, this, read);
        }
    }

    private static final class ReadEndpoint extends DefaultEndpoint {
        private final Map<String, Object> read;

        private ReadEndpoint(String uri, Read component, Map<String, Object> read) {
            super(uri, component);
            this.read = read;
        }

        @Override
        public Producer createProducer() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Consumer createConsumer(Processor processor) {
            throw new UnsupportedOperationException();
        }
    }
}
