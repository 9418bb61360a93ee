package dev.caravan.cli;

import dev.caravan.base.text.NearestName;
import dev.caravan.routes.draft.Destination;
import dev.caravan.routes.draft.Draft;
import dev.caravan.routes.draft.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that describe a new route. On a terminal, asks for what is not given. */
final class DraftOptions extends CommandOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--to", paramLabel = "DESTINATION", description = "The destination; caravan new --list shows all.")
    private String to;

    @Option(names = "--type", paramLabel = "TYPES", description = "Types of the messages: order.placed or order.*")
    private String type;

    @Option(names = "--url", paramLabel = "URL", description = "For webhook and http: the receiver.")
    private String url;

    @Option(names = "--topic", paramLabel = "TOPIC", description = "For kafka.")
    private String topic;

    @Option(names = "--table", paramLabel = "TABLE", description = "For sql.")
    private String table;

    @Option(names = "--queue", paramLabel = "QUEUE", description = "For sqs and amqp.")
    private String queue;

    @Option(names = "--bucket", paramLabel = "BUCKET", description = "For s3.")
    private String bucket;

    @Option(names = "--folder", paramLabel = "FOLDER", description = "For file: the folder of the files.")
    private String folder;

    @Option(names = "--from", paramLabel = "SENDER", description = "For email and sms: the address of the sender.")
    private String from;

    @Option(
            names = "--recipient",
            paramLabel = "TEMPLATE",
            description =
                    "For email and sms. Default: $${customer.email} or $${customer.phone}, fields of the payload.")
    private String recipient;

    @Option(names = "--subject", paramLabel = "TEMPLATE", description = "For email.")
    private String subject;

    @Option(names = "--text", paramLabel = "TEMPLATE", description = "For email, sms and slack.")
    private String text;

    /** Whether an option describes a destination. */
    boolean areGiven() {
        return to != null || !given().isEmpty();
    }

    /** @throws picocli.CommandLine.ParameterException if a route cannot have this name */
    void requireName(String name) {
        if (!Draft.isName(name)) {
            throw wrong(
                    "The name of a route must consist of lower-case letters, digits and -, begin with a letter, and have at"
                            + " most 63 characters: " + name);
        }
    }

    /**
     * The route that the options describe.
     *
     * @param name the name of a route to this destination
     * @param suggestedDestination the destination if none is given; empty for none
     * @param suggestions answers that are suggested in addition to those of the destination
     * @throws picocli.CommandLine.ParameterException if an answer is wrong or missing
     */
    Draft draft(Function<Destination, String> name, String suggestedDestination, Map<Question, String> suggestions) {
        Prompt prompt = Prompt.onConsole(command.commandLine());
        Destination destination = destination(prompt, suggestedDestination);
        return new Draft(name.apply(destination), destination, answers(destination, prompt, suggestions));
    }

    private Destination destination(Prompt prompt, String suggestion) {
        String known = Destination.ids().collect(Collectors.joining(", "));
        String id = to != null
                ? to
                : prompt.answer("Destination (" + known + ")", suggestion)
                        .orElseThrow(() -> wrong("Missing option: --to DESTINATION, one of " + known + "."));
        return Destination.of(id)
                .orElseThrow(() -> wrong("Unknown destination " + id
                        + NearestName.suggestion(id, Destination.ids().collect(Collectors.toSet()), ".")
                        + " Known: " + known
                        + ". For others write a route with a component of Camel: docs/routes.md."));
    }

    private Map<Question, String> answers(Destination destination, Prompt prompt, Map<Question, String> suggestions) {
        Map<Question, String> given = given();
        given.keySet().stream()
                .filter(question -> !destination.questions().contains(question))
                .findFirst()
                .ifPresent(question -> {
                    throw wrong(question.option() + " is not used with --to " + destination.id() + ".");
                });
        Map<Question, String> answers = new TreeMap<>();
        List<Question> missing = new ArrayList<>();
        for (Question question : destination.questions()) {
            String suggestion = suggestions.getOrDefault(question, destination.suggestion(question));
            Optional<String> answer = given.containsKey(question)
                    ? Optional.of(given.get(question))
                    : prompt.answer(question.prompt(), suggestion);
            answer.filter(text -> !question.accepts(text)).ifPresent(text -> {
                throw wrong(question.option() + " must " + question.rule() + ", got " + text);
            });
            answer.ifPresentOrElse(text -> answers.put(question, text), () -> missing.add(question));
        }
        if (!missing.isEmpty()) {
            throw wrong(missing(missing));
        }
        return answers;
    }

    private static String missing(List<Question> questions) {
        return questions.stream()
                .map(question -> question.option() + " (" + question.prompt() + ")")
                .collect(Collectors.joining(
                        ", ", questions.size() == 1 ? "Missing option: " : "Missing options: ", "."));
    }

    private Map<Question, String> given() {
        Map<Question, String> given = new TreeMap<>();
        for (Question question : Question.values()) {
            String value = command.findOption(question.option()).getValue();
            if (value != null) {
                given.put(question, value);
            }
        }
        return given;
    }
}
