package dev.caravan.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.camel.outbox.TestOutbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The parts of what users may rely on, each as sorted lines. Other tests compare the pages that are read here with the program. */
enum PublicApi {
    SETTINGS {
        @Override
        Stream<String> unsorted() {
            return DocsPage.read("docs/configuration.md").rows("## Settings").stream()
                    .flatMap(row -> Stream.of(row.get(1).replace("`", "").split(", "))
                            .map(variable -> row.get(0) + " " + variable + " " + row.get(2)));
        }
    },
    OPTIONS {
        @Override
        Stream<String> unsorted() {
            return Map.of(
                            "## Options of a subscription", "subscription ",
                            "## Options of `outbox:` as a destination", "destination ",
                            "## Options of the component", "component ")
                    .entrySet()
                    .stream()
                    .flatMap(part -> rows("docs/configuration.md", part.getKey(), part.getValue()));
        }
    },
    METRICS {
        @Override
        Stream<String> unsorted() {
            return Metrics.onPage().map(row -> row[0] + " " + row[1] + " {" + row[2] + "}");
        }
    },
    COMMANDS {
        @Override
        Stream<String> unsorted() throws Exception {
            return commands("caravan", CommandsTest.caravan());
        }
    },
    HTTP_API {
        @Override
        Stream<String> unsorted() throws Exception {
            JsonNode document = new ObjectMapper().readTree(PublicApi.class.getResource("/api/openapi.json"));
            Stream<String> schemas = document.at("/components/schemas").properties().stream()
                    .flatMap(schema -> fields("schema " + schema.getKey() + " ", schema.getValue()));
            return Stream.concat(
                    schemas,
                    document.get("paths").properties().stream().flatMap(path -> path.getValue().properties().stream()
                            .flatMap(method -> operation(
                                    method.getKey().toUpperCase() + " " + path.getKey() + " ", method.getValue()))));
        }
    },
    TESTING {
        @Override
        Stream<String> unsorted() throws Exception {
            return JavaApi.of("src/kit/java/dev/caravan/test", "src/main/java/dev/caravan/routes/destination");
        }
    },
    JAVA {
        @Override
        Stream<String> unsorted() throws Exception {
            return JavaApi.of("src/main/java/dev/caravan/camel");
        }
    },
    EMBEDDING {
        @Override
        Stream<String> unsorted() {
            return JavaApi.of(OutboxComponent.class);
        }
    },
    TABLES {
        @Override
        Stream<String> unsorted() throws Exception {
            try (TestOutbox database = TestOutbox.create()) {
                return database.jdbc().queryForList(OF_TABLES, String.class).stream();
            }
        }
    };

    /** Columns, functions and sequences; partitions and the history of the migrations are not for users. */
    private static final String OF_TABLES = """
            select 'column ' || table_name || '.' || column_name || ' ' || data_type
                || case is_nullable when 'NO' then ' not null' else '' end
                || case when column_default is null then '' else ' default ' || column_default end
                || case is_identity when 'YES' then ' identity ' || lower(identity_generation) else '' end
            from information_schema.columns
            where table_schema = 'public' and table_name not like '%schema_history'
                and not exists (select from pg_class where oid = to_regclass(table_name) and relispartition)
            union all
            select 'function ' || proname || '(' || pg_get_function_arguments(oid) || ') returns ' || pg_get_function_result(oid)
            from pg_proc where pronamespace = 'public'::regnamespace
            union all
            select 'sequence ' || sequence_name from information_schema.sequences where sequence_schema = 'public'
            """;

    abstract Stream<String> unsorted() throws Exception;

    final List<String> lines() throws Exception {
        return unsorted().map(String::strip).sorted().distinct().toList();
    }

    final String file() {
        return name().toLowerCase().replace('_', '-') + ".txt";
    }

    /** The first columns of a table of options: name, default. */
    private static Stream<String> rows(String page, String heading, String prefix) {
        return DocsPage.read(page).rows(heading).stream().map(row -> prefix + row.get(0) + " " + row.get(1));
    }

    /** Without the commands of the laboratory, which are not part of an installation. */
    private static Stream<String> commands(String path, CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        if (spec.userObject().getClass().getPackageName().startsWith("dev.caravan.lab")) {
            return Stream.empty();
        }
        Stream<String> own = Stream.concat(
                spec.options().stream()
                        .filter(option -> !option.hidden())
                        .map(option -> path + " " + String.join(", ", new TreeSet<>(List.of(option.names())))
                                + (option.arity().max() > 0 ? " " + option.paramLabel() : "")
                                + (option.required() ? " (required)" : "")),
                spec.positionalParameters().stream()
                        .map(parameter -> path + " " + parameter.paramLabel() + " " + parameter.arity()));
        return Stream.concat(
                Stream.concat(Stream.of(path), own),
                command.getSubcommands().entrySet().stream()
                        .flatMap(sub -> commands(path + " " + sub.getKey(), sub.getValue())));
    }

    private static Stream<String> operation(String name, JsonNode operation) {
        List<String> lines = new ArrayList<>(List.of(name));
        operation
                .path("parameters")
                .forEach(parameter -> lines.add(name + parameter.get("in").asText() + " "
                        + parameter.get("name").asText() + " " + type(parameter.path("schema"))
                        + (parameter.path("required").asBoolean() ? " (required)" : "")));
        contents(name + "request ", operation.path("requestBody")).forEach(lines::add);
        operation.path("responses").properties().forEach(response -> contents(
                        name + response.getKey() + " ", response.getValue())
                .forEach(lines::add));
        return lines.stream();
    }

    private static Stream<String> contents(String prefix, JsonNode body) {
        if (body.has("$ref")) {
            return Stream.of(prefix + type(body));
        }
        return body.path("content").properties().stream()
                .flatMap(content -> fields(
                        prefix + content.getKey() + " ", content.getValue().path("schema")));
    }

    /** One line for each field, with its path. */
    private static Stream<String> fields(String path, JsonNode schema) {
        if (schema.has("properties")) {
            Set<String> required = new TreeSet<>();
            schema.path("required").forEach(name -> required.add(name.asText()));
            return schema.get("properties").properties().stream()
                    .flatMap(field -> fields(
                            path + "." + field.getKey() + (required.contains(field.getKey()) ? "" : "?"),
                            field.getValue()));
        }
        if (schema.path("additionalProperties").isObject()) {
            return fields(path + ".*", schema.get("additionalProperties"));
        }
        return schema.has("items") ? fields(path + "[]", schema.get("items")) : Stream.of(path + " " + type(schema));
    }

    private static String type(JsonNode schema) {
        if (schema.has("$ref")) {
            return schema.get("$ref").asText().replaceFirst(".*/", "");
        }
        for (String either : List.of("anyOf", "oneOf", "allOf")) {
            if (schema.has(either)) {
                List<String> types = new ArrayList<>();
                schema.get(either).forEach(each -> types.add(type(each)));
                return either + types;
            }
        }
        String type = schema.path("type").isArray()
                ? schema.get("type").toString()
                : schema.path("type").asText("any");
        return schema.has("enum") ? type + " " + schema.get("enum") : type;
    }
}
