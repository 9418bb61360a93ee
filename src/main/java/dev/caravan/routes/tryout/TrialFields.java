package dev.caravan.routes.tryout;

import dev.caravan.base.message.Mask;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Header;
import dev.caravan.routes.destination.HttpSent;
import dev.caravan.routes.destination.KafkaSent;
import dev.caravan.routes.destination.MailSent;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.destination.SqlSent;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Converts trials to maps for JSON. Names and order of the fields are part of the API. */
public final class TrialFields {
    private final Secrets secrets;
    private final boolean contents;

    /** @param contents whether addresses, header values and bodies are shown; otherwise nothing that contains data of the message */
    public TrialFields(Secrets secrets, boolean contents) {
        this.secrets = secrets;
        this.contents = contents;
    }

    public Map<String, Object> of(Trial trial) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("messageId", trial.message().messageId().toString());
        fields.put("type", trial.message().type());
        fields.put("route", trial.route());
        fields.put("subscription", trial.subscription());
        fields.put("result", trial.end().name().toLowerCase(Locale.ROOT));
        fields.put("outcome", trial.outcome());
        fields.put("retryAfterSeconds", trial.retryAfter().toSeconds());
        if (trial.failure() != null) {
            fields.put("errorClass", trial.failure().errorClass());
            fields.put(
                    "errorText",
                    secrets.mask(
                            contents
                                    ? trial.failure().errorText()
                                    : trial.failure().reason()));
            fields.put("step", secrets.mask(trial.failure().step()));
        }
        fields.put("sent", sent(trial.recorded()));
        fields.put("sentByDeadLetterRoute", sent(trial.afterDeath()));
        return fields;
    }

    private List<Map<String, Object>> sent(List<Recorded> recorded) {
        return recorded.stream().map(this::of).toList();
    }

    private Map<String, Object> of(Recorded recorded) {
        Sent sent = recorded.sent();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", sent.kind());
        fields.put("destination", destination(sent));
        if (contents) {
            contents(sent, fields);
        } else {
            fields.put("headerNames", sent.headers().stream().map(Header::name).toList());
        }
        fields.put("bodyBytes", sent.body().array().length);
        fields.put("answer", answer(recorded.answer()));
        return fields;
    }

    private void contents(Sent sent, Map<String, Object> fields) {
        if (sent instanceof KafkaSent record) {
            fields.put("key", record.key().map(key -> secrets.mask(key.shown())).orElse(null));
            fields.put("partition", record.partition().orElse(null));
        }
        fields.put("headers", sent.headers().stream().map(this::header).toList());
        if (sent instanceof SqlSent statement) {
            fields.put("parameters", parameters(statement));
        } else if (sent instanceof MailSent mail) {
            fields.put("parts", mail.parts().stream().map(this::part).toList());
        } else if (sent instanceof KafkaSent record && record.value().isEmpty()) {
            fields.put("body", null);
        } else {
            fields.put("body", secrets.mask(sent.body().shown()));
        }
    }

    private List<String> parameters(SqlSent statement) {
        List<String> texts = new ArrayList<>(); // may contain null
        statement.parameters().forEach(value -> texts.add(value == null ? null : secrets.mask(SqlSent.text(value))));
        return texts;
    }

    private Map<String, Object> header(Header header) {
        return Map.of("name", header.name(), "value", secrets.maskHeader(header));
    }

    private Map<String, Object> part(MailSent.Part part) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", part.type());
        fields.put("fileName", part.fileName().isEmpty() ? null : part.fileName());
        fields.put("content", secrets.mask(part.content().shown()));
        return fields;
    }

    /** The destination; without contents, only what the route file names. */
    private String destination(Sent sent) {
        if (sent instanceof SqlSent || sent instanceof KafkaSent) {
            return secrets.mask(sent.destination());
        }
        if (contents) {
            return secrets.maskAddress(sent.destination());
        }
        return sent instanceof HttpSent request ? request.method() + " " + origin(request.url()) : Mask.HIDDEN;
    }

    private static String origin(String url) {
        URI uri = URI.create(url);
        return uri.getScheme() + "://" + uri.getRawAuthority().replaceFirst(".*@", "");
    }

    private Map<String, Object> answer(Answer answer) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("answer", answer.toString());
        fields.put("headers", answer.headers());
        fields.put("body", answer.body().isEmpty() ? null : secrets.mask(answer.body()));
        fields.put("detail", answer.detail().isEmpty() ? null : secrets.mask(answer.detail()));
        return fields;
    }
}
