package dev.caravan.lab.servers;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * A local HTTP server with the part of Twilio's API that sends a message:
 * {@code POST /2010-04-01/Accounts/{sid}/Messages.json} with basic authentication and a form of To, From and Body.
 */
public final class SmsGateway implements AutoCloseable {
    private static final String ACCOUNT = "ACdemo";
    private static final String TOKEN = "demo-token";
    private static final String PATH = "/2010-04-01/Accounts/" + ACCOUNT + "/Messages.json";
    private static final Pattern E164 = Pattern.compile("\\+[1-9]\\d{6,14}");
    private static final int THREADS = 16;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final ExecutorService threads;
    private final Consumer<ReceivedSms> inbox;

    private SmsGateway(HttpServer server, ExecutorService threads, Consumer<ReceivedSms> inbox) {
        this.server = server;
        this.threads = threads;
        this.inbox = inbox;
    }

    /** @param inbox receives each SMS before it is acknowledged; called by several threads */
    public static SmsGateway start(Consumer<ReceivedSms> inbox) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var threads = Executors.newFixedThreadPool(THREADS);
        var gateway = new SmsGateway(server, threads, inbox);
        server.setExecutor(threads);
        server.createContext("/", gateway::answer);
        server.start();
        return gateway;
    }

    /** Address in the form of the option {@code url} of {@code sms:}. */
    public String url() {
        return "http://localhost:" + server.getAddress().getPort() + PATH;
    }

    public String user() {
        return ACCOUNT;
    }

    public String password() {
        return TOKEN;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Answer answer = answerTo(exchange, body);
            byte[] json = JSON.writeValueAsBytes(answer.json());
            exchange.getResponseHeaders().set("Content-Type", "application/json;charset=utf-8");
            exchange.sendResponseHeaders(answer.status(), json.length);
            exchange.getResponseBody().write(json);
        }
    }

    private Answer answerTo(HttpExchange exchange, byte[] body) {
        if (!exchange.getRequestURI().getPath().equals(PATH)) {
            return Answer.error(404, 20404, "The requested resource was not found");
        }
        if (!exchange.getRequestMethod().equals("POST")) {
            return Answer.error(405, 20004, "Method not allowed");
        }
        if (!authorized(exchange)) {
            return Answer.error(401, 20003, "Authenticate");
        }
        if (!isForm(exchange)) {
            return Answer.error(415, 20415, "Content type must be application/x-www-form-urlencoded");
        }
        return accept(exchange, form(new String(body, StandardCharsets.UTF_8)));
    }

    private Answer accept(HttpExchange exchange, Map<String, String> form) {
        String to = form.getOrDefault("To", "");
        String from = form.getOrDefault("From", "");
        String text = form.getOrDefault("Body", "");
        if (!E164.matcher(to).matches()) {
            return Answer.error(400, 21211, "Invalid 'To' Phone Number");
        }
        if (!E164.matcher(from).matches()) {
            return Answer.error(400, 21212, "Invalid 'From' Phone Number");
        }
        if (text.isEmpty()) {
            return Answer.error(400, 21602, "Message body is required");
        }
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(exchange.getRequestHeaders());
        var sms = new ReceivedSms("SM" + hex(UUID.randomUUID()), to, from, text, headers);
        inbox.accept(sms);
        return Answer.accepted(sms);
    }

    private static boolean authorized(HttpExchange exchange) {
        String expected =
                "Basic " + Base64.getEncoder().encodeToString((ACCOUNT + ":" + TOKEN).getBytes(StandardCharsets.UTF_8));
        return expected.equals(exchange.getRequestHeaders().getFirst("Authorization"));
    }

    private static boolean isForm(HttpExchange exchange) {
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        return type != null && type.startsWith("application/x-www-form-urlencoded");
    }

    private static Map<String, String> form(String body) {
        Map<String, String> fields = new HashMap<>();
        for (String pair : body.split("&")) {
            String[] nameAndValue = pair.split("=", 2);
            fields.put(decoded(nameAndValue[0]), nameAndValue.length == 2 ? decoded(nameAndValue[1]) : "");
        }
        return fields;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String hex(UUID id) {
        return id.toString().replace("-", "");
    }

    /** Status and body of an answer in the format of Twilio. */
    private record Answer(int status, Map<String, Object> json) {
        static Answer accepted(ReceivedSms sms) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("sid", sms.sid());
            json.put("account_sid", ACCOUNT);
            json.put("status", "queued");
            json.put("direction", "outbound-api");
            json.put("to", sms.to());
            json.put("from", sms.from());
            json.put("body", sms.text());
            json.put("num_segments", "1");
            json.put("error_code", null);
            json.put("error_message", null);
            json.put("date_created", ZonedDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.RFC_1123_DATE_TIME));
            json.put("uri", PATH.replace("Messages.json", "Messages/" + sms.sid() + ".json"));
            return new Answer(201, json);
        }

        static Answer error(int status, int code, String message) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("code", code);
            json.put("message", message);
            json.put("more_info", "https://www.twilio.com/docs/errors/" + code);
            json.put("status", status);
            return new Answer(status, json);
        }
    }
}
