package dev.caravan.routes.check;

import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.NearestName;
import dev.caravan.camel.outbox.OutboxEndpoint;
import dev.caravan.camel.step.OutboxDelivery;
import dev.caravan.camel.webhook.StandardWebhookEndpoint;
import dev.caravan.routes.context.CamelReason;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.camel.CamelContext;
import org.apache.camel.DelegateEndpoint;
import org.apache.camel.Endpoint;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.component.kafka.KafkaComponent;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.platform.http.PlatformHttpEndpoint;
import org.apache.camel.component.rest.RestEndpoint;
import org.apache.camel.spi.AutowiredLifecycleStrategy;
import org.apache.camel.spi.LifecycleStrategy;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.tooling.model.BaseOptionModel;
import org.apache.camel.tooling.model.ComponentModel;
import org.apache.camel.util.URISupport;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Checks the endpoints of the routes: creates each as a relay does, and checks the type of each option. */
final class CheckedEndpoints {
    private static final Pattern UNKNOWN = Pattern.compile("Unknown parameters=\\[\\{(.*)\\}\\]", Pattern.DOTALL);
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{([^{}]+)\\}\\}");
    /** A URI without a scheme, or with nothing or an empty host after the scheme. */
    private static final Pattern NO_ADDRESS = Pattern.compile("(?![\\w.+-]+:).*|[\\w.+-]+:(//)?(/.*)?", Pattern.DOTALL);

    /** A user, perhaps with a password, before the host. */
    private static final Pattern LOGIN = Pattern.compile("^(https?:/*)[^/?#]*@");

    private static final Pattern RESERVED = Pattern.compile("/+(api|auth|console|observe)(?:/.*|)");

    private static final Pattern OPTION_NAME = Pattern.compile("(?:^|, )([\\w.-]+)=");

    private static final String NO_HOST =
            "its host has a _ or a character that is not ASCII, so each message would fail."
                    + " Use another name of it, or its form that begins with xn--";

    /** The host of an address of HTTP, if no value of a message is in it. */
    private static final Pattern HOST_OF_ROUTE = Pattern.compile("https?:/*([^/?#$\\s]+)(?:[/?#]|$)");

    private final CamelContext context;
    private final CamelMetadata metadata;
    private final boolean ownServer;
    private final Set<String> schemes = new LinkedHashSet<>();
    private final SortedMap<String, Integer> kafkaTopics = new TreeMap<>();
    private final Set<StandardWebhookEndpoint> webhooks = new LinkedHashSet<>();

    /** @param ownServer whether routes have an HTTP server of their own, beside that of the API and the console */
    CheckedEndpoints(CamelContext context, CamelMetadata metadata, boolean ownServer) {
        this.context = context;
        this.ownServer = ownServer;
        this.metadata = metadata;
    }

    /** Creates the endpoint that a route reads from; empty when that fails. */
    Optional<Endpoint> source(String uri, Consumer<String> report) {
        Optional<Endpoint> made = made(uri, report);
        made.filter(OutboxEndpoint.class::isInstance)
                .map(OutboxEndpoint.class::cast)
                .ifPresent(outbox -> outbox.problems().forEach(text -> report.accept(refused(uri, text))));
        made.flatMap(this::reservedPath).ifPresent(text -> report.accept(refused(uri, text)));
        made.flatMap(this::schedule).ifPresent(text -> report.accept(refused(uri, text)));
        return made;
    }

    /** A path of the management server would answer first, with 404. */
    private Optional<String> reservedPath(Endpoint endpoint) {
        String path = "/";
        if (endpoint instanceof RestEndpoint rest) {
            path += rest.getPath() + "/" + (rest.getUriTemplate() == null ? "" : rest.getUriTemplate());
        } else if (endpoint instanceof PlatformHttpEndpoint http) {
            path += http.getPath();
        }
        Matcher reserved = RESERVED.matcher(path);
        return !ownServer && reserved.matches()
                ? Optional.of("/" + reserved.group(1)
                        + " belongs to the relay, which answers such requests itself, with 404. Choose another path")
                : Optional.empty();
    }

    /** Checks an endpoint that a route sends to; empty if it cannot be created. @param delivers whether the route reads the outbox */
    Optional<Endpoint> destination(String uri, boolean delivers, Consumer<String> report) {
        Optional<Endpoint> made = made(uri, report);
        made.ifPresent(endpoint -> {
            address(endpoint).flatMap(CheckedEndpoints::login).ifPresent(text -> report.accept(refused(uri, text)));
            if (endpoint instanceof HttpEndpoint http && http.getHttpUri().getHost() == null) {
                report.accept(refused(uri, NO_HOST));
            }
            try {
                endpoint.createProducer();
                if (delivers && endpoint instanceof OutboxDelivery delivery) {
                    delivery.createDelivery();
                }
                if (endpoint instanceof KafkaEndpoint kafka) {
                    producer(kafka);
                } else if (endpoint instanceof StandardWebhookEndpoint webhook) {
                    webhooks.add(webhook);
                }
            } catch (Exception e) {
                report.accept(refused(uri, CamelReason.of(e)));
            }
        });
        return made;
    }

    /** Checks an endpoint whose URI depends on the message: for missing and empty settings, and its host if that does not depend on it. */
    void dynamic(String uri, Consumer<String> report) {
        try {
            resolved(uri, report)
                    .map(HOST_OF_ROUTE::matcher)
                    .filter(host -> host.lookingAt()
                            && URI.create("http://" + host.group(1)).getHost() == null)
                    .ifPresent(any -> report.accept(refused(uri, NO_HOST)));
        } catch (RuntimeException e) {
            report.accept(refused(uri, CamelReason.of(e)));
        }
    }

    /** The URI with its settings; empty if some are missing, one is empty that names the destination, or it has a login. */
    private Optional<String> resolved(String uri, Consumer<String> report) {
        List<String> missing = missingSettings(uri);
        missing.forEach(text -> report.accept(refused(uri, text)));
        if (!missing.isEmpty()) {
            return Optional.empty();
        }
        String address = context.resolvePropertyPlaceholders(uri);
        Optional<String> unusable = emptySettings(uri).or(() -> login(address)).or(() -> login(hostOfRest(address)));
        unusable.ifPresent(text -> report.accept(refused(LOGIN.matcher(uri).replaceFirst("$1"), text)));
        return unusable.isPresent() ? Optional.empty() : Optional.of(address);
    }

    /** The address that an option names; empty if there is none. */
    private static Optional<String> address(Endpoint endpoint) {
        if (endpoint instanceof HttpEndpoint http) {
            return Optional.ofNullable(http.getOauth2TokenEndpoint());
        }
        return endpoint instanceof RestEndpoint rest ? Optional.ofNullable(rest.getHost()) : Optional.empty();
    }

    /** The host that a URI of {@code rest:} names; empty if there is none. */
    private static String hostOfRest(String uri) {
        try {
            Object host = uri.startsWith("rest:")
                    ? URISupport.parseQuery(URISupport.extractQuery(uri)).get("host")
                    : null;
            return host == null ? "" : host.toString().replaceFirst("^RAW[({]", "");
        } catch (URISyntaxException e) {
            return ""; // Camel refuses it
        }
    }

    /** The HTTP client sends no request to such an address. */
    private static Optional<String> login(String address) {
        return LOGIN.matcher(address).find()
                ? Optional.of("its address has a user or a password, so each message would fail. Remove it from the"
                        + " address, and set authMethod: Basic, authUsername and authPassword")
                : Optional.empty();
    }

    /** A text for each setting in a text that is missing: Camel reports only the first. */
    List<String> missingSettings(String text) {
        return PLACEHOLDER
                .matcher(text)
                .results()
                .flatMap(setting -> unresolved(setting.group()).stream())
                .distinct()
                .toList();
    }

    private Optional<String> unresolved(String text) {
        try {
            context.resolvePropertyPlaceholders(text);
            return Optional.empty();
        } catch (RuntimeException e) {
            return Optional.of(CamelReason.of(e));
        }
    }

    /** The settings that leave a URI without a destination, because they are empty. */
    private Optional<String> emptySettings(String uri) {
        String path = uri.replaceFirst("(?s)\\?.*", "");
        List<String> empty = PLACEHOLDER
                .matcher(path)
                .results()
                .filter(setting ->
                        context.resolvePropertyPlaceholders(setting.group()).isBlank())
                .map(setting -> setting.group(1))
                .toList();
        return empty.isEmpty()
                        || !NO_ADDRESS
                                .matcher(context.resolvePropertyPlaceholders(path))
                                .matches()
                ? Optional.empty()
                : Optional.of(String.join(" and ", empty) + " is empty. Set the address of the destination");
    }

    private Optional<Endpoint> made(String uri, Consumer<String> report) {
        try {
            Optional<String> address = resolved(uri, report);
            if (address.isEmpty()) {
                return Optional.empty();
            }
            String resolved = address.get();
            String scheme = resolved.replaceFirst(":.*", "");
            schemes.add(scheme);
            autowire(scheme);
            List<String> unreadable = unreadable(scheme, resolved, report);
            Endpoint endpoint = context.getEndpoint(without(unreadable, resolved));
            return unreadable.isEmpty() ? Optional.of(endpoint) : Optional.empty();
        } catch (Exception e) {
            report.accept(refused(uri, unknownOptions(uri, CamelReason.of(e))));
            return Optional.empty();
        }
    }

    /** Replaces a message that shows the values of unknown options, which may be secrets, by their names. */
    private String unknownOptions(String uri, String reason) {
        Matcher unknown = UNKNOWN.matcher(reason);
        if (!unknown.find()) {
            return reason;
        }
        String scheme = uri.replaceFirst(":.*", "");
        List<String> known = metadata.component(scheme, any -> true)
                .map(component -> options(component).stream()
                        .map(BaseOptionModel::getName)
                        .toList())
                .orElse(List.of());
        return OPTION_NAME
                .matcher(unknown.group(1))
                .results()
                .map(option -> "unknown option " + option.group(1)
                        + NearestName.suggestion(option.group(1), known, ", remove it"))
                .collect(Collectors.joining("; "));
    }

    /** Sets the data source and other beans on a component. Camel does this when a context starts, but this one never starts. */
    private void autowire(String scheme) throws Exception {
        context.getComponent(scheme);
        for (LifecycleStrategy strategy : context.getLifecycleStrategies()) {
            if (strategy instanceof AutowiredLifecycleStrategy) {
                strategy.onContextInitializing(context);
            }
        }
    }

    /** Returns and reports options with values of a wrong type. The outbox component checks its options itself. */
    private List<String> unreadable(String scheme, String uri, Consumer<String> report) throws Exception {
        int query = uri.indexOf('?');
        if (query < 0 || scheme.equals("outbox")) {
            return List.of();
        }
        Map<String, Object> given = URISupport.parseQuery(uri.substring(query + 1));
        Optional<ComponentModel> component = metadata.component(scheme, given::containsKey);
        if (component.isEmpty()) {
            return List.of();
        }
        List<String> unreadable = new ArrayList<>();
        for (BaseOptionModel option : options(component.get())) {
            Object value = given.remove(option.getName());
            if (value != null) {
                CheckedCamelSettings.unreadable(component.get(), option, value.toString())
                        .ifPresent(text -> {
                            unreadable.add(option.getName());
                            report.accept(refused(uri, option.getName() + " " + text));
                        });
            }
        }
        return unreadable;
    }

    /** Returns a text for each parameter that resembles an option. Checks only components that send unknown parameters in the URL. */
    List<String> misspelt(String uri) {
        Set<String> unknown = parameters(uri).keySet();
        return unknown.isEmpty()
                ? List.of()
                : misspelt(unknown, lenientOptions(scheme(context.resolvePropertyPlaceholders(uri)), any -> true));
    }

    /** The parameters of a URI that are no options, of components that send such in the URL. */
    private SortedMap<String, Object> parameters(String uri) {
        SortedMap<String, Object> unknown = new TreeMap<>(String.CASE_INSENSITIVE_ORDER); // as Camel compares names
        try {
            String resolved = context.resolvePropertyPlaceholders(uri);
            int query = resolved.indexOf('?');
            if (query >= 0) {
                unknown.putAll(URISupport.parseQuery(resolved.substring(query + 1)));
                lenientOptions(scheme(resolved), unknown::containsKey).forEach(unknown::remove);
                if (!unknown.isEmpty()
                        && lenientOptions(scheme(resolved), any -> true).isEmpty()) {
                    unknown.clear();
                }
            }
        } catch (RuntimeException | URISyntaxException e) {
            unknown.clear(); // is reported when the endpoint is created
        }
        return unknown;
    }

    private static String scheme(String uri) {
        return uri.replaceFirst(":.*", "");
    }

    private static List<String> misspelt(Set<String> unknown, Set<String> known) {
        return unknown.stream()
                .flatMap(name -> NearestName.misspelt(name, known)
                        .map(near -> name + " is not an option, so it becomes a parameter of the URL. Did you mean "
                                + near + "?")
                        .stream())
                .toList();
    }

    /** The names of options of a component that accepts others too; none if it does not. */
    private Set<String> lenientOptions(String scheme, Predicate<String> requested) {
        return metadata.component(scheme, requested).filter(ComponentModel::isLenientProperties).stream()
                .flatMap(component -> options(component).stream())
                .map(BaseOptionModel::getName)
                .collect(Collectors.toSet());
    }

    /** The options of an endpoint, including component options that some components accept there too. */
    private static List<BaseOptionModel> options(ComponentModel component) {
        List<BaseOptionModel> options = new ArrayList<>(component.getEndpointParameterOptions());
        options.addAll(component.getComponentOptions());
        return options;
    }

    private static String without(List<String> options, String uri) {
        if (options.isEmpty()) {
            return uri; // which can end in ?, the last part of a schedule
        }
        String left = uri;
        for (String option : options) {
            left = left.replaceAll("(?<=[?&])" + Pattern.quote(option) + "=[^&]*&?", "");
        }
        return left.replaceFirst("[?&]$", "");
    }

    /** Checks the settings of Kafka's client, which are otherwise checked when a route starts. */
    private void producer(KafkaEndpoint endpoint) {
        Properties settings = endpoint.getConfiguration().createProducerProperties();
        settings.put("bootstrap.servers", "localhost:9092");
        int batchSize = new ProducerConfig(settings).getInt(ProducerConfig.BATCH_SIZE_CONFIG);
        if (Objects.equals(endpoint.getConfiguration().getBrokers(), kafkaBrokers())) {
            kafkaTopics.merge(endpoint.getConfiguration().getTopic(), batchSize, Math::max);
        }
    }

    private String kafkaBrokers() {
        return context.getComponent("kafka", KafkaComponent.class)
                .getConfiguration()
                .getBrokers();
    }

    private static String refused(String uri, String reason) {
        return withoutQuery(uri) + " is refused: "
                + reason.replaceFirst("^Failed to resolve endpoint: .* due to: ", "");
    }

    /** The URI without parameters and without a password, which may be secrets. */
    static String withoutQuery(String uri) {
        return ErrorText.sanitized(uri.replaceFirst("(?s)\\?.*", ""));
    }

    /** Whether a route uses an endpoint with this scheme. */
    boolean use(String scheme) {
        return schemes.contains(scheme);
    }

    /** The receivers of signed webhooks. */
    Set<StandardWebhookEndpoint> webhooks() {
        return Set.copyOf(webhooks);
    }

    /** The topics named in routes, on the brokers of the component, with the largest batch size of a route that sends to them. */
    SortedMap<String, Integer> kafkaTopics() {
        return Collections.unmodifiableSortedMap(kafkaTopics);
    }

    /**
     * What is wrong with the schedule of {@code quartz:} or {@code cron:}; empty if nothing is, or if the endpoint has none. Quartz reads it when the
     * route starts, and a wrong one would prevent the start of the whole relay. Its classes are in the folder {@code lib} of the user.
     */
    private Optional<String> schedule(Endpoint endpoint) {
        Endpoint source = endpoint instanceof DelegateEndpoint delegating ? delegating.getEndpoint() : endpoint;
        if (source == null || !source.getClass().getName().equals("org.apache.camel.component.quartz.QuartzEndpoint")) {
            return Optional.empty();
        }
        Object cron = PluginHelper.getBeanIntrospection(context).getOrElseProperty(source, "cron", null, false);
        try {
            if (cron != null) {
                Class.forName(
                                "org.quartz.CronExpression",
                                true,
                                source.getClass().getClassLoader())
                        .getConstructor(String.class)
                        .newInstance(cron);
            }
            return Optional.empty();
        } catch (InvocationTargetException e) {
            return Optional.of("the schedule " + cron + " cannot be used: " + CamelReason.of(e)
                    + ". Quartz reads seconds first, and needs ? as the day of the month or of the week");
        } catch (ReflectiveOperationException e) {
            return Optional.empty(); // a version of Quartz without these classes checks the schedule at the start
        }
    }
}
