package dev.caravan.routes.check;

import dev.caravan.camel.email.EmailComponent;
import dev.caravan.camel.guard.InnerSteps;
import dev.caravan.camel.guard.LiteralPlaces;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.model.ChoiceDefinition;
import org.apache.camel.model.ConvertVariableDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.PollEnrichDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RemoveHeaderDefinition;
import org.apache.camel.model.RemoveHeadersDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SetHeaderDefinition;
import org.apache.camel.model.SetHeadersDefinition;
import org.apache.camel.model.SetVariableDefinition;
import org.apache.camel.model.SetVariablesDefinition;
import org.apache.camel.model.ToDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.spi.RoutePolicy;
import org.apache.camel.support.PatternHelper;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.throttling.ThrottlingExceptionRoutePolicy;
import org.apache.camel.util.URISupport;

/** Points out options with which a message can lose or exchange its content, be read by others, or never end. */
final class StepHints {
    private static final Pattern SET_IN_TEXT =
            Pattern.compile("\\$\\{\\s*setVariable\\(\\s*['\"]?((?:global|route):[^,'\")]*)");

    /** Headers that each later step of a kind reads, in place of its own option or address. */
    private static final Map<String, String> READ_AGAIN = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    static {
        Stream.of("To", "Cc", "Bcc").forEach(name -> READ_AGAIN.put(name, "smtps?:"));
        Stream.of("Uri", "Path", "Query").forEach(part -> READ_AGAIN.put("CamelHttp" + part, "https?:"));
    }

    private final CamelContext context;

    StepHints(CamelContext context) {
        this.context = context;
    }

    @SuppressWarnings("rawtypes")
    void add(RouteReport report) {
        if ("false".equalsIgnoreCase(resolved(report.route().getStreamCache()))) {
            report.hint(
                    report.route(),
                    "streamCache false: a body that can be read once, such as an answer over HTTP, is empty for all steps after"
                            + " the first one that reads it, also log. Remove streamCache");
        }
        if (mayStaySuspended(report.route())) {
            report.hint(
                    report.route(),
                    "its ThrottlingExceptionRoutePolicy can leave the subscription suspended when several messages fail at"
                            + " once. Remove it: outbox: stops sending to an unavailable destination itself");
        }
        for (ProcessorDefinition step :
                ProcessorDefinitionHelper.filterTypeInOutputs(report.route().getOutputs(), ProcessorDefinition.class)) {
            Stream.concat(of(step), sharedVariables(step))
                    .forEach(hint -> report.hint(step, "step " + step.getShortName() + " " + hint));
        }
        readAgain(report.route().getOutputs(), report);
    }

    /** Points out the second step that reads a header which an earlier step sets, if it is not removed or set again in between. */
    private void readAgain(List<ProcessorDefinition<?>> steps, RouteReport report) {
        Map<String, Integer> reads = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (ProcessorDefinition<?> step : steps) {
            String removed = step instanceof RemoveHeaderDefinition one ? one.getName() : "";
            String pattern = step instanceof RemoveHeadersDefinition several ? several.getPattern() : removed;
            reads.keySet().removeIf(name -> PatternHelper.matchPattern(name, pattern));
            headers(step).filter(READ_AGAIN::containsKey).forEach(name -> reads.put(name, 0));
            String uri = step instanceof SendDefinition<?> send ? String.valueOf(resolved(send.getEndpointUri())) : "";
            reads.entrySet().stream()
                    .filter(read -> uri.matches("(?s)" + READ_AGAIN.get(read.getKey()) + ".*"))
                    .filter(read -> read.setValue(read.getValue() + 1) == 1)
                    .forEach(read -> report.hint(
                            step,
                            "step to is the second one that reads the header " + read.getKey()
                                    + ", in place of its own address. If that is meant for the first one only, add"
                                    + " removeHeader: {name: " + read.getKey() + "} after it"));
            readAgain(InnerSteps.of(step), report);
        }
    }

    /** The headers that a step sets. */
    private static Stream<String> headers(ProcessorDefinition<?> step) {
        if (step instanceof SetHeadersDefinition several) {
            return several.getHeaders().stream().map(SetHeaderDefinition::getName);
        }
        return step instanceof SetHeaderDefinition one ? Stream.of(one.getName()) : Stream.empty();
    }

    private boolean mayStaySuspended(RouteDefinition route) {
        Stream<RoutePolicy> objects =
                route.getRoutePolicies() == null ? Stream.empty() : route.getRoutePolicies().stream();
        return objects.anyMatch(ThrottlingExceptionRoutePolicy.class::isInstance)
                || Stream.of(String.valueOf(resolved(route.getRoutePolicyRef())).split(","))
                        .map(name -> name.strip().replaceFirst("^#(bean:)?", ""))
                        .anyMatch(name -> name.equals("class:" + ThrottlingExceptionRoutePolicy.class.getName())
                                || context.getRegistry().lookupByName(name) instanceof ThrottlingExceptionRoutePolicy);
    }

    private Stream<String> of(ProcessorDefinition<?> step) {
        if (step instanceof PollEnrichDefinition poll) {
            String timeout = resolved(poll.getTimeout());
            return timeout == null || timeout.startsWith("-")
                    ? Stream.of(
                            "waits without limit if there is nothing to receive, and so does the key of its message. Set"
                                    + " timeout: when it ends, the body is empty")
                    : Stream.empty();
        }
        return step instanceof SendDefinition<?> send
                ? Stream.concat(
                        ofEndpoint(send).stream(),
                        LiteralPlaces.hint(String.valueOf(resolved(send.getEndpointUri()))).stream())
                : Stream.empty();
    }

    private Stream<String> sharedVariables(ProcessorDefinition<?> step) {
        return Stream.concat(setByOptions(step), simple(step).flatMap(StepHints::setInText))
                .map(this::shared)
                .flatMap(Optional::stream)
                .distinct();
    }

    private Stream<String> setByOptions(ProcessorDefinition<?> step) {
        if (step instanceof SetVariableDefinition variable) {
            return Stream.of(variable.getName());
        }
        if (step instanceof SetVariablesDefinition several) {
            return several.getVariables().stream().map(SetVariableDefinition::getName);
        }
        if (step instanceof ConvertVariableDefinition variable) {
            return Stream.of(variable.getToName() == null ? variable.getName() : variable.getToName());
        }
        Object received =
                PluginHelper.getBeanIntrospection(context).getOrElseProperty(step, "variableReceive", null, false);
        return Stream.ofNullable(received).map(String::valueOf);
    }

    /** The texts of a step in the language simple. */
    private static Stream<String> simple(ProcessorDefinition<?> step) {
        if (step instanceof ToDynamicDefinition to) {
            return Stream.ofNullable(to.getUri());
        }
        Stream<ExpressionDefinition> expressions = Stream.empty();
        if (step instanceof ExpressionNode node) {
            expressions = Stream.of(node.getExpression());
        } else if (step instanceof SetHeadersDefinition several) {
            expressions = several.getHeaders().stream().map(ExpressionNode::getExpression);
        } else if (step instanceof SetVariablesDefinition several) {
            expressions = several.getVariables().stream().map(ExpressionNode::getExpression);
        } else if (step instanceof ChoiceDefinition choice) {
            expressions = choice.getWhenClauses().stream().map(when -> when.getExpression());
        }
        return expressions
                .filter(expression -> expression != null && "simple".equals(expression.getLanguage()))
                .map(ExpressionDefinition::getExpression)
                .filter(Objects::nonNull);
    }

    private static Stream<String> setInText(String text) {
        return SET_IN_TEXT.matcher(text).results().map(found -> found.group(1));
    }

    private Optional<String> shared(String variable) {
        return String.valueOf(resolved(variable)).matches("(?s)(global|route):.*")
                ? Optional.of("sets the variable " + variable
                        + ", which messages that are sent at the same time share: one could"
                        + " be sent with the value of another. Remove the part before the last colon")
                : Optional.empty();
    }

    private Optional<String> ofEndpoint(SendDefinition<?> send) {
        String uri = String.valueOf(resolved(send.getEndpointUri()));
        Map<String, String> options = options(uri);
        return switch (uri.replaceFirst(":.*", "").toLowerCase(Locale.ROOT)) {
            case "mock" ->
                options.containsKey("retainFirst") || options.containsKey("retainLast")
                        ? Optional.empty()
                        : Optional.of(
                                "sends to mock:, which keeps each message in memory. Remove it, or set retainLast");
            case "file", "ftp", "ftps", "sftp" -> ofFiles(options);
            case "smtp" -> ofMailServer(options);
            case "email" -> ofMailServer(options(options.getOrDefault("server", mailServer())));
            case "http", "https", "netty-http", "vertx-http", "undertow", "jetty" ->
                "false".equalsIgnoreCase(options.get("throwExceptionOnFailure"))
                        ? Optional.of(
                                "has throwExceptionOnFailure=false: an answer such as 500 counts as delivered. Remove it, or"
                                        + " fail the message after the step when ${header.CamelHttpResponseCode} is not 2xx")
                        : Optional.empty();
            case "seda" ->
                !waits(send, options) || options.getOrDefault("timeout", "").matches("0|-.*")
                        ? Optional.empty()
                        : Optional.of(
                                "stops waiting for seda: after its timeout, by default 30 s. The message may then arrive when"
                                        + " it is dead, or after later ones of its key. Set timeout=0, or use direct:");
            default -> Optional.empty();
        };
    }

    private static Optional<String> ofFiles(Map<String, String> options) {
        String fileExist = options.getOrDefault("fileExist", "Override");
        String name = options.getOrDefault("fileName", "${header.id}");
        if (fileExist.equalsIgnoreCase("Ignore")) {
            return Optional.of(
                    "has fileExist=Ignore: a message whose file exists, also a part of it, is not written and"
                            + " counts as delivered. Use Override, and the id of the message in the name");
        }
        return fileExist.equalsIgnoreCase("Override") && !name.contains("{")
                ? Optional.of(
                        "writes each message to the file " + name + ", where it replaces the one before. Use the id of"
                                + " the message in the name (${header.id}), or fileExist=Append")
                : Optional.empty();
    }

    private static Optional<String> ofMailServer(Map<String, String> options) {
        return "true".equalsIgnoreCase(options.get("mail.smtp.starttls.enable"))
                        && !"true".equalsIgnoreCase(options.get("mail.smtp.starttls.required"))
                ? Optional.of(
                        "sends login and mails without TLS to a server that does not offer STARTTLS, or if somebody in"
                                + " between removes the offer. Set mail.smtp.starttls.required=true too")
                : Optional.empty();
    }

    /** The server for all steps {@code email:}; empty if none is set. */
    private String mailServer() {
        return context.getComponent("email") instanceof EmailComponent email
                ? Objects.requireNonNullElse(email.getConfiguration().getServer(), "")
                : "";
    }

    private boolean waits(SendDefinition<?> send, Map<String, String> options) {
        return "Always".equalsIgnoreCase(options.get("waitForTaskToComplete"))
                || "InOut".equalsIgnoreCase(options.get("exchangePattern"))
                || send instanceof ToDefinition to && "InOut".equalsIgnoreCase(resolved(to.getPattern()));
    }

    private static Map<String, String> options(String uri) {
        Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        try {
            Map<String, Object> parsed = URISupport.parseQuery(URISupport.extractQuery(uri));
            URISupport.resolveRawParameterValues(parsed);
            parsed.forEach((name, value) -> options.put(name, String.valueOf(value)));
        } catch (URISyntaxException e) {
            options.clear(); // is reported when the endpoint is created
        }
        return options;
    }

    private String resolved(String text) {
        try {
            return text == null ? null : context.resolvePropertyPlaceholders(text);
        } catch (RuntimeException e) {
            return text; // a missing setting is reported elsewhere
        }
    }
}
