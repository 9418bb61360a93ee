package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.BadLine;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.base.message.MessageDocument;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Sentence;
import dev.caravan.database.Database;
import dev.caravan.routes.tryout.DryRun.TriedRoute;
import dev.caravan.routes.tryout.OutboxMessages;
import dev.caravan.routes.tryout.SampleMessages;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The messages to try a route with. */
final class TriedMessages extends CommandOptions {
    @ArgGroup(multiplicity = "1")
    private Source source;

    /** Where the messages come from. */
    private static final class Source {
        @Option(
                names = "--message",
                paramLabel = "FILE",
                description = "Messages in the layout of publish, in order; - for standard input.")
        private Path message;

        @Option(
                names = "--from-outbox",
                paramLabel = "ID",
                description =
                        "A message of the outbox, even if it waits or is dead. It is only read; needs the database.")
        private Long fromOutbox;

        @Option(
                names = "--samples",
                description =
                        "Sample messages for the types of the route: samples/TYPE.json beside the file, or generated from the"
                                + " fields that the route reads.")
        private boolean samples;

        @Option(names = "--type", paramLabel = "TYPE", description = "One message of this type.")
        private String type;
    }

    @Option(names = "--key", paramLabel = "TYPE/ID", description = "With --type: the key. Default: generated.")
    private Key key;

    @Option(
            names = "--payload",
            paramLabel = "JSON",
            description = "With --type: the payload. Default: generated from the fields that the route reads.")
    private String payload;

    void requireValid() {
        if (source.type == null && (key != null || payload != null)) {
            throw wrong("--key and --payload need --type.");
        }
    }

    boolean areSamples() {
        return source.samples;
    }

    List<Message> of(List<TriedRoute> routes, Settings settings, Consumer<String> notes)
            throws SQLException, IOException {
        try {
            if (source.message != null) {
                try (InputStream document = open(source.message, "")) {
                    return MessageDocument.read(document.readAllBytes(), Clock.SYSTEM.now());
                }
            }
            if (source.samples) {
                return samples(routes, notes);
            }
            if (source.fromOutbox != null) {
                return List.of(new OutboxMessages(Database.forCommand(settings))
                        .find(source.fromOutbox)
                        .orElseThrow(() -> wrong("Message " + source.fromOutbox
                                + " is not in the outbox, waiting, dead or discarded.")));
            }
            return List.of(ofType(routes));
        } catch (BadLine e) {
            throw wrong("Could not read the messages: " + Sentence.of(e.getMessage()) + " Nothing was sent.");
        }
    }

    private Message ofType(List<TriedRoute> routes) throws IOException, BadLine {
        Message generated = new SampleMessages(Clock.SYSTEM.now()).generate(routes.get(0), source.type, "1", 1);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("aggregateType", key == null ? generated.key().type() : key.type());
        fields.put("aggregateId", key == null ? generated.key().id() : key.id());
        fields.put("type", source.type);
        String json = Json.line(fields);
        String document = json.substring(0, json.length() - 1) + ",\"payload\":"
                + (payload == null ? generated.payload() : payload) + "}";
        return MessageDocument.read(document.getBytes(StandardCharsets.UTF_8), Clock.SYSTEM.now())
                .get(0);
    }

    private List<Message> samples(List<TriedRoute> routes, Consumer<String> notes) throws IOException, BadLine {
        List<Message> messages = new ArrayList<>();
        for (TriedRoute route : routes) {
            // Every route gets each message that it reads, so it has got the samples of these types already.
            Set<String> given = messages.stream().map(Message::type).collect(Collectors.toSet());
            for (SampleMessages.Sample sample : new SampleMessages(Clock.SYSTEM.now()).of(route)) {
                if (given.contains(sample.message().type())) {
                    continue;
                }
                messages.add(sample.message());
                if (sample.generated()) {
                    notes.accept(
                            "Generated for type " + sample.message().type() + " from the fields that the route reads: "
                                    + sample.message().payload() + "\n");
                }
            }
        }
        return messages;
    }
}
