package dev.caravan.camel.guard;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.NamedNode;
import org.apache.camel.model.ChoiceDefinition;
import org.apache.camel.model.HasExpressionType;
import org.apache.camel.model.LogDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SetHeadersDefinition;
import org.apache.camel.model.SetVariablesDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.model.language.SingleInputTypedExpressionDefinition;
import org.apache.camel.support.PluginHelper;

/**
 * What the texts of a step read of a message: its expressions, its address and its other options. What Java code and the files of
 * templates read is not known. A step that only logs reads nothing.
 *
 * @param headers names of headers. Of a name with a dot, such as {@code type.length}, also the part before it
 * @param body what reads the body as that of one message, such as jsonpath; empty if nothing does
 */
record StepReads(Set<String> headers, Optional<String> body) {
    private static final String NAME = "['\"]?([^\\s'\"{}\\[\\](),:;=<>!&|+*]+)(\\()?";

    private static final String OF_EXCHANGE = "exchange\\.(?:in|message|getIn\\(\\)|getMessage\\(\\))";

    private static final String HEADER = "(?:headers?\\s*(?:\\??\\.(?:get|getOrDefault|containsKey)\\(|\\??[.:]|\\[)"
            + "|getHeaders\\(\\)\\.get\\(|getHeader\\(|headerAs\\()\\s*" + NAME;

    /** Not the header of a message in the body, such as {@code ${body[0].headers[type]}}. */
    private static final Pattern IN_SIMPLE = Pattern.compile("\\$(?:simple)?\\{\\s*(?:(?:(?:in|message|" + OF_EXCHANGE
            + ")\\??\\.)?" + HEADER + "|(?:jsonpath|jq|xpath)\\(\\s*header:" + NAME + ")");

    private static final Pattern IN_SCRIPT =
            Pattern.compile("(?<![\\w.\\])?])(?:(?:request|" + OF_EXCHANGE + ")\\.)?" + HEADER);

    private static final Pattern IN_TEMPLATE = Pattern.compile("\\$\\{[^}]*?(?<![\\w.$-])header\\." + NAME);
    private static final Pattern IN_PAYLOAD = Pattern.compile("(?<![\\w.$-])header\\." + NAME);
    private static final Pattern IN_JAVA = Pattern.compile("\\bheader\\(" + NAME);
    private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"");

    private static final Pattern BODY_IN_SIMPLE = Pattern.compile(
            "\\$(?:simple)?\\{\\s*(?:(jsonpath|jq|xpath)\\((?!\\s*(?:header|exchangeProperty|property|variable):)"
                    + "|(?:in\\.)?body\\s*}\\s*([=!<>~]{1,3}+|!?(?:contains|regex|in|range|startsWith|endsWith|starts with|ends with)\\b)"
                    + "(?!\\s*(?:\\$\\{)?null\\b))");

    /** Languages that read the body, unless they have another source. */
    private static final Set<String> OF_BODY =
            Set.of("jsonpath", "jq", "xpath", "xquery", "tokenize", "xtokenize", "hl7terser", "datasonnet", "wasm");

    private static final Set<String> SCRIPTS =
            Set.of("groovy", "mvel", "ognl", "spel", "js", "javascript", "python", "java", "joor");

    private static final Set<String> NOT_EVALUATED = Set.of("id", "description", "note", "label");

    /** Components that read each message of a batch, or only log. */
    private static final Set<String> OF_EACH = Set.of("kafka", "log");

    /** The headers without which components send nothing. */
    private static final Map<String, Set<String>> NEEDED = Map.of(
            "cloud-event",
            Set.of(OutboxConstants.ID, OutboxConstants.TYPE),
            "standard-webhook",
            Set.of(OutboxConstants.ID));

    /** What a step itself reads, without the steps in it. The conditions of a choice are read by the choice. */
    static StepReads of(CamelContext context, ProcessorDefinition<?> step) {
        Reader reader = new Reader(context, step);
        if (!(step instanceof LogDefinition)) {
            reader.step();
        }
        return new StepReads(reader.headers, Optional.ofNullable(reader.body));
    }

    boolean isEmpty() {
        return headers.isEmpty() && body.isEmpty();
    }

    /** The conditions of a choice, and the parts of a step that sets several values. */
    static Stream<? extends HasExpressionType> clauses(NamedNode step) {
        if (step instanceof ChoiceDefinition choice) {
            return choice.getWhenClauses().stream();
        } else if (step instanceof SetHeadersDefinition several) {
            return several.getHeaders().stream();
        }
        return step instanceof SetVariablesDefinition several ? several.getVariables().stream() : Stream.empty();
    }

    private static final class Reader {
        private final CamelContext context;
        private final ProcessorDefinition<?> step;
        private final Set<String> headers = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        private String body;

        Reader(CamelContext context, ProcessorDefinition<?> step) {
            this.context = context;
            this.step = step;
        }

        void step() {
            String scheme = step instanceof SendDefinition<?> send
                    ? resolved(String.valueOf(send.getEndpointUri())).replaceFirst("(?s):.*", "")
                    : "";
            if (OF_EACH.contains(scheme)) {
                return;
            }
            headers.addAll(NEEDED.getOrDefault(scheme, Set.of()));
            Map<String, Object> options = new TreeMap<>();
            PluginHelper.getBeanIntrospection(context).getProperties(step, options, null, false);
            options.keySet().removeAll(NOT_EVALUATED);
            options.values().forEach(this::option);
            clauses(step).forEach(clause -> expression(clause.getExpressionType()));
        }

        private void option(Object value) {
            if (value instanceof String text) {
                headers(IN_SIMPLE, decoded(resolved(text)));
            } else if (value instanceof HasExpressionType clause && !(value instanceof ProcessorDefinition<?>)) {
                expression(clause instanceof ExpressionDefinition all ? all : clause.getExpressionType());
            }
        }

        private void expression(ExpressionDefinition expression) {
            if (expression == null) {
                return;
            }
            String text = text(expression);
            String language = String.valueOf(expression.getLanguage());
            if (expression.getExpressionValue() != null || expression.getPredicate() != null) { // of Java
                headers(IN_JAVA, text);
            } else if (language.equals("header")) {
                add(text.strip(), false);
            } else if (language.equals("payload")) {
                headers(IN_PAYLOAD, QUOTED.matcher(text).replaceAll("''"));
            } else if (language.endsWith("-template")) {
                headers(IN_TEMPLATE, text);
            } else if (SCRIPTS.contains(language)) {
                headers(IN_SCRIPT, text);
            } else if (OF_BODY.contains(language)) {
                source(expression, language);
            } else if (language.endsWith("simple")) {
                Matcher reader = BODY_IN_SIMPLE.matcher(text);
                if (reader.find()) {
                    body = reader.group(1) == null ? "a comparison of ${body}" : reader.group(1);
                }
            }
            if (!language.equals("constant")) {
                headers(IN_SIMPLE, text);
            }
        }

        private void source(ExpressionDefinition expression, String language) {
            String source = expression instanceof SingleInputTypedExpressionDefinition one ? one.getSource() : null;
            String from = source == null ? "body" : resolved(source);
            if (from.startsWith("header:")) {
                add(from.substring("header:".length()), false);
            } else if (from.startsWith("body")) {
                body = language;
            }
        }

        private String text(ExpressionDefinition expression) {
            Object value = Stream.of(
                            Optional.<Object>ofNullable(expression.getPredicate()),
                            Optional.<Object>ofNullable(expression.getExpressionValue()),
                            Optional.<Object>ofNullable(expression.getExpression()))
                    .flatMap(Optional::stream)
                    .findFirst()
                    .orElse("");
            return resolved(String.valueOf(value));
        }

        private void headers(Pattern pattern, String text) {
            Matcher found = pattern.matcher(text);
            while (found.find()) {
                for (int group = 1; group < found.groupCount(); group += 2) {
                    if (found.group(group) != null) {
                        add(found.group(group), found.group(group + 1) != null);
                    }
                }
            }
        }

        /** @param isCall whether the name ends with a method, as in {@code type.length()} */
        private void add(String found, boolean isCall) {
            List<String> parts = new ArrayList<>(List.of(found.split("\\??\\.")));
            String name = found;
            if (isCall) {
                parts.remove(parts.size() - 1);
                name = String.join(".", parts);
            }
            if (!parts.isEmpty()) {
                headers.add(name);
                headers.add(parts.get(0));
            }
        }

        /** A setting is not resolved needlessly: it may be in a vault. */
        private String resolved(String text) {
            return text.contains("{{")
                    ? Placeholders.resolved(context, ProcessorDefinitionHelper.getRoute(step), text)
                    : text;
        }

        private static String decoded(String text) {
            return text.contains("%") ? AddressPath.decoded(text) : text;
        }
    }
}
