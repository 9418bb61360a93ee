package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.support.ObjectHelper;
import org.apache.camel.util.URISupport;

/**
 * The address of a step, of a request or of several steps that a route computes. A value fills its place: in an option it arrives as it is, and in the
 * path, where not every sign can, one is refused that would lead elsewhere.
 *
 * @param delimiter of the addresses, if the step sends to several; empty if it sends to one
 * @param optionsOfHttp names of options of the step {@code http:}; its other parameters are those of the receiver
 * @param http what the step gets for an address of HTTP
 */
record AddressTemplate(String delimiter, Set<String> optionsOfHttp, Function<HttpAddress, Object> http) {
    /** The host of an address, with its port and a user. Camel accepts one without slashes, and behind the name of a component such as netty-http. */
    static final Pattern AUTHORITY = Pattern.compile(
            "(?:[a-z][a-z\\d+-]*:)?(?:https?|smtps?|ftps?|sftp|scp|smb|wss?|tcp|udp|ldaps?):/*([^/?#]*)",
            Pattern.CASE_INSENSITIVE);

    /** More than any receiver takes. Camel needs time for the square of the length. */
    private static final int LONGEST = 100_000;
    /** More than any host has. */
    private static final int LONGEST_HOST = 1_000;

    private static final String HTTP = "http://";
    private static final Pattern IS_HTTP = Pattern.compile("https?:", Pattern.CASE_INSENSITIVE);
    private static final Pattern RAW = Pattern.compile("^RAW[({](.*)[)}]$", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("[\\w+.-]*");
    /** The name of a protocol or a component with a value in it. */
    private static final Pattern SCHEME =
            Pattern.compile("([\\w+.-]*)" + FilledText.VALUE + "[\\w+." + FilledText.VALUE + "-]*:(/?)");

    private static final Pattern END_OF_HOST = Pattern.compile("[/?#].*", Pattern.DOTALL);

    /** A function that Camel evaluates in {@code RAW()}, with the rights of the relay. */
    private static final Pattern IN_RAW = Pattern.compile("$simple{", Pattern.LITERAL);

    private static final String PART_OF_HOST = "[\\p{L}\\p{N}._-]*";

    /** Parameters with a host, or several with commas, which is no whole address. */
    private static final Pattern HOST_PARAMETER = Pattern.compile(".*host|brokers", Pattern.CASE_INSENSITIVE);

    /** The other parameters of a step http: are those of the receiver. */
    private static final Pattern HOST_OF_HTTP = Pattern.compile("proxy.*host", Pattern.CASE_INSENSITIVE);

    /** A topic that Kafka can have. */
    private static final Pattern TOPIC = Pattern.compile("kafka:(?://)?(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}");
    /** Steps to queues. ActiveMQ sends to each of several names that a comma separates. */
    private static final Pattern QUEUE = Pattern.compile("(?:jms|sjms2?|activemq6?|amqp):");

    private static final Pattern NOT_IN_PATH = Pattern.compile("[?#]");

    private static final Pattern NOT_IN_PATH_OR_QUERY = Pattern.compile("#");
    private static final Pattern COMMA = Pattern.compile(",");
    private static final Pattern AND = Pattern.compile("&");
    private static final Pattern RAW_BEGIN = Pattern.compile("RAW[({]");
    static final Pattern AND_OR_EQUALS = Pattern.compile("[&=]");
    static final Pattern NOT_IN_NAME = Pattern.compile("[&=%+#\\p{Cntrl}]");
    private static final Pattern MAIL = Pattern.compile("smtps?:");
    static final Set<String> RECIPIENTS = Set.of("to", "cc", "bcc");

    private static final String CREATED = "#(?i:class|type|bean|property|autowired|valueAs)\\b";
    /** An option that begins so is an object: a bean, or what a class creates or its method returns. */
    private static final Pattern OBJECT = Pattern.compile(CREATED);
    /** Also one that is the name of a bean or names a file, for endpoints that have all their options themselves. */
    private static final Pattern OBJECT_OR_FILE =
            Pattern.compile(CREATED + "|#[a-zA-Z_][\\w.$-]*(?:\\s*,\\s*#[\\w.$-]+)*$|(?:file|resource|classpath):");

    private static final String REST = "rest:";
    private static final Pattern READ_BY_REST = Pattern.compile("[:{}&+#%\\[\\]]");
    /** Camel removes a slash at the end of a path. */
    private static final Pattern READ_IN_PATH = Pattern.compile(READ_BY_REST + "|^/|/$");

    /** Caravan's own steps, and their options that are never empty. */
    private static final Pattern OWN = Pattern.compile("(?:sms|email|standard-webhook|outbox):");

    private static final Set<String> NEEDED = Set.of(
            "aggregateId",
            "aggregateType",
            "from",
            "html",
            "secrets",
            "server",
            "subject",
            "text",
            "to",
            "type",
            "url");

    /** The same for one address. */
    AddressTemplate ofOne() {
        return new AddressTemplate("", optionsOfHttp, http);
    }

    /**
     * What a step gets for a message: the address, or a list of several.
     *
     * @throws FieldException without a value, if one changes what is around it
     */
    Object sent(FilledText text) {
        if (!text.isValue()) {
            requireShort(text);
        }
        if (delimiter.isEmpty()) {
            return address(text.strip());
        }
        List<Object> sent = new ArrayList<>();
        int at = 0;
        for (String each : addresses(text.text(), delimiter)) {
            at = text.text().indexOf(each, at);
            FilledText address = text.part(at, at + each.length()).strip();
            if (address.beginsWithValue() && !address.isValue()) {
                requireNone(FilledText.ofValue(address.values().get(0)), Pattern.compile(delimiter, Pattern.LITERAL));
            }
            if (address.isValue()) {
                addresses(address.whole(), delimiter).forEach(given -> sent.add(sentAsGiven(given)));
            } else {
                sent.add(address(address));
            }
            at += each.length();
        }
        return sent;
    }

    /**
     * The addresses that Camel finds in a text. A comma in parentheses separates none.
     *
     * @param delimiter empty if the text is one address
     */
    static List<String> addresses(String text, String delimiter) {
        List<String> addresses = new ArrayList<>();
        ObjectHelper.createIterator(text, delimiter.isEmpty() ? null : delimiter)
                .forEachRemaining(address -> addresses.add((String) address));
        return addresses;
    }

    private Object address(FilledText given) {
        FilledText address = withScheme(given, false);
        if (address.isValue()) {
            return sentAsGiven(address.whole());
        }
        if (address.beginsWithValue()) {
            return address(withBegin(address));
        }
        boolean isHttp = IS_HTTP.matcher(address.text()).lookingAt();
        FilledText path = address.before("?");
        List<Option> options = Option.all(address.behind("?"));
        if (isHttp) {
            requireNone(path, NOT_IN_PATH);
            requireHostAndPath(path, true, true);
            options.stream()
                    .filter(option -> HttpAddress.isOfStep(option, optionsOfHttp))
                    .forEach(option -> {
                        requireReadAsValue(option.value(), IN_RAW);
                        requireOption(option, true, address.text());
                    });
            return http.apply(HttpAddress.of(address, optionsOfHttp));
        }
        requireReadAsValue(address, FilledText.BEGIN);
        requirePath(path, options);
        for (Option option : options) {
            requireOption(option, false, address.text());
        }
        String query = Option.join(options, option -> AddressValues.option(option.value()));
        String sent = AddressValues.path(path);
        return (path.text().equals(address.text()) ? sent : sent + "?" + query)
                + (sent.equals(path.whole()) ? "" : (query.isEmpty() ? "?" : "&") + AddressValues.identified(sent));
    }

    /** Refuses what Camel would remove or evaluate. */
    private static void requireReadAsValue(FilledText text, Pattern function) {
        requireNone(text, RAW_BEGIN);
        requireNoFunction(function, text.withRoute(AddressPath::decoded).whole());
    }

    /**
     * The text with values in the name of its protocol or component as if the route had written them. They can be nothing else.
     *
     * @param isText whether the text may be none of an address: then only a name before {@code :/} is one
     */
    private static FilledText withScheme(FilledText given, boolean isText) {
        Matcher scheme = SCHEME.matcher(given.text());
        boolean isBegin = scheme.lookingAt() && scheme.group(1).isEmpty();
        if (!scheme.lookingAt() || (isText || isBegin) && scheme.group(2).isEmpty()) {
            return given;
        }
        FilledText address = given;
        while (address.text().indexOf(FilledText.VALUE) >= 0
                && address.text().indexOf(FilledText.VALUE) < address.text().indexOf(':')) {
            if (!NAME.matcher(address.values().get(0)).matches()) {
                throw new FieldException("A value of the message is no name of a protocol or a component, with which an"
                        + " address begins that the route computes: it would change the host");
            }
            address = address.withFirstGiven();
        }
        return address;
    }

    /** The text with its first value as if the route had written it. What the route writes behind it must be no other part of the address. */
    private static FilledText withBegin(FilledText address) {
        FilledText given = address.withFirstGiven();
        String begin = address.values().get(0);
        if (begin.indexOf('#') >= 0 || begin.indexOf('?') >= 0 && !given.text().startsWith("&", begin.length())) {
            throw new FieldException("A value of the message with which an address begins has a ? or #: what the route"
                    + " writes behind it would be another part of the address");
        }
        return given;
    }

    /** A whole address of the message. */
    private Object sentAsGiven(String given) {
        String address = given.strip();
        if (IS_HTTP.matcher(address).lookingAt()) {
            return address(new FilledText(address, List.of()));
        }
        requireNoFunction(IN_RAW, AddressPath.decoded(address));
        return address;
    }

    private static void requireNoFunction(Pattern function, String address) {
        if (function.matcher(address).find()) {
            throw new FieldException("A value of the message adds a function of the language simple to an address that"
                    + " the route computes, which Camel would evaluate");
        }
    }

    private static void requirePath(FilledText path, List<Option> options) {
        String ofRoute = path.text();
        if (ofRoute.startsWith("sql:")) {
            String placeholder = options.stream()
                    .filter(option -> option.name().equals("placeholder"))
                    .map(option -> AddressValues.read(option.value()).whole())
                    .findFirst()
                    .orElse("#");
            StatementTemplate.require(
                    path.from(ofRoute.startsWith("sql://") ? 6 : 4).withRoute(AddressPath::decoded), placeholder);
        }
        requireNone(path, NOT_IN_PATH);
        if (ofRoute.startsWith(REST)) {
            requirePlain(path, READ_IN_PATH);
        }
        if (TOPIC.matcher(ofRoute.replace(FilledText.VALUE, 'a')).matches()
                && !TOPIC.matcher(path.whole()).matches()) {
            throw new FieldException("A value of the message makes the name of a topic that Kafka cannot have");
        }
        if (QUEUE.matcher(ofRoute).lookingAt()) {
            requireNone(path, COMMA);
        }
        requireHostAndPath(path, false, !ofRoute.startsWith("sql:"));
    }

    /** Camel reads what {@code rest:} says as a template, and decodes it. */
    private static void requirePlain(FilledText text, Pattern refused) {
        if (text.values().stream().anyMatch(value -> refused.matcher(value).find())) {
            throw new FieldException(
                    "A value of the message has one of the signs : { } & + # % [ ] in a step rest:, or begins or ends with"
                            + " a slash there, that the route computes: it would be another address or parameter. Use a"
                            + " parameter, such as rest:post:orders/{id}, which takes any value");
        }
    }

    /** The options of a step, such as {@code fileName} of {@code file:}. */
    private static void requireOption(Option option, boolean isHttp, String address) {
        option.requireOne();
        if (option.given().hasValue()) {
            throw new FieldException(
                    "A value of the message names an option of a step in an address that the route computes");
        }
        if (!option.value().hasValue() || option.name().isEmpty()) {
            return;
        }
        FilledText value = AddressValues.read(option.value());
        String given = value.whole();
        if (OWN.matcher(address).lookingAt() && NEEDED.contains(option.name()) && given.isBlank()) {
            // otherwise the step could not be created for the message, which looks like a mistake in the route that can
            // be mended
            throw new FieldException(
                    "The message has no value for the option " + option.name() + " of a step that the route computes");
        }
        if (value.strip().beginsWithValue()) {
            requireText(given, isHttp ? OBJECT : OBJECT_OR_FILE);
        }
        if (address.startsWith(REST) && option.name().equals("queryParameters")) {
            requirePlain(value, READ_BY_REST);
        }
        if (MAIL.matcher(address).lookingAt() && RECIPIENTS.contains(option.name())) {
            RecipientTemplate.require(value);
        }
        if (!isHttp && FileName.isOfOption(option.name())) {
            FileName.require(value);
            if (!value.isValue()) {
                requireFilled(value);
            }
        }
        boolean isHost =
                (isHttp ? HOST_OF_HTTP : HOST_PARAMETER).matcher(option.name()).matches();
        FilledText named = AUTHORITY.matcher(given).lookingAt() ? withScheme(value, true) : value;
        FilledText inner = named.beginsWithValue() && !named.isValue() && !isHost ? named.withFirstGiven() : named;
        boolean isAddress = AUTHORITY.matcher(inner.text()).lookingAt();
        if (isAddress && inner != named) {
            withBegin(named);
        }
        if (isAddress || isHost && !value.isValue()) {
            requireRequest(isAddress ? inner : new FilledText(HTTP + value.text(), value.values()));
            if (!isHttp && isAddress && isUri(inner.text().replace(FilledText.VALUE, 'a')) && !isUri(given)) {
                throw new FieldException(
                        "A value of the message adds a sign to an address that the route computes, which must be"
                                + " percent-encoded there");
            }
        }
    }

    /**
     * Checks an address to which a step sends a request. Nothing in it is decoded.
     *
     * @throws FieldException as for {@link #sent}
     */
    static void requireRequest(FilledText given) {
        if (given.isValue()) {
            return;
        }
        FilledText named = withScheme(given, false);
        FilledText address = named.beginsWithValue() ? withBegin(named) : named;
        requireShort(address);
        FilledText path = address.before("?");
        requireNone(path, NOT_IN_PATH);
        requireHostAndPath(path, IS_HTTP.matcher(address.text()).lookingAt(), true);
        requireNone(address.behind("?"), NOT_IN_PATH_OR_QUERY);
        requireQuery(address.behind("?"));
    }

    /** Checks the query of a request. @throws FieldException as for {@link #sent} */
    static void requireQuery(FilledText query) {
        requireShort(query);
        for (Option option : Option.all(query)) {
            option.requireOne();
            if (!option.name().isEmpty()) {
                requireNone(option.value(), AND);
            }
        }
    }

    /** Checks the name of a file or topic, or a path. @throws FieldException as for {@link #sent} */
    static void requireFilled(FilledText name) {
        if (name.values().contains("")) {
            throw new FieldException("A value of the message is empty in an address, a path or a name that the route"
                    + " computes: it would be another one");
        }
    }

    private static void requireShort(FilledText text) {
        if (text.text().length()
                        + text.values().stream().mapToLong(String::length).sum()
                > LONGEST) {
            throw new FieldException("A value of the message makes an address or a query that the route computes longer"
                    + " than " + LONGEST + " characters");
        }
    }

    /** Refuses signs that values add, also two values together. */
    static void requireNone(FilledText text, Pattern refused) {
        String given = text.whole();
        if (count(refused, given) > count(refused, text.text())) {
            throw new FieldException("A value of the message adds "
                    + refused.matcher(given).results().findFirst().orElseThrow().group()
                    + " to an address or a query that the route computes: it would add a parameter, an option or an"
                    + " address, or end a part of it. A parameter of the step rest: is encoded");
        }
    }

    private static long count(Pattern pattern, String text) {
        return pattern.matcher(text).results().count();
    }

    private static void requireText(String option, Pattern other) {
        if (Stream.of(option, AddressPath.decoded(option))
                .anyMatch(text -> other.matcher(text.replace('+', ' ').strip()).lookingAt())) {
            throw new FieldException(
                    "A value of the message begins with #, file: or resource: in an option of an"
                            + " address that the route computes. Camel would take an object, or the content of a file, in its place");
        }
    }

    private static void requireHostAndPath(FilledText path, boolean isHttp, boolean isFilled) {
        requireHost(path, isHttp);
        String given = path.whole();
        boolean isUnreadable = isHttp
                ? AddressPath.isUnreadable(given) && !AddressPath.isUnreadable(path.text())
                : path.values().stream().anyMatch(AddressPath::hasControl);
        if (isUnreadable) {
            throw new FieldException(
                    "A value of the message adds a control character, or bytes that UTF-8 forbids, to an"
                            + " address that the route computes");
        }
        if (AddressPath.dots(given) != AddressPath.dots(path.text())) {
            throw new FieldException("A value of the message makes a segment . or .. in an address that the route"
                    + " computes, which would lead to another path");
        }
        if (isFilled) {
            requireFilled(path);
        }
    }

    private static void requireHost(FilledText path, boolean isHttp) {
        Matcher found = AUTHORITY.matcher(path.text());
        if (!found.lookingAt() || found.group(1).indexOf(FilledText.VALUE) < 0) {
            return;
        }
        FilledText authority = path.part(found.start(1), found.end(1));
        String text = authority.text();
        StringBuilder before = new StringBuilder();
        StringBuilder whole = new StringBuilder();
        int at = 0;
        for (String value : authority.values()) {
            int next = text.indexOf(FilledText.VALUE, at);
            before.append(text, at, next);
            boolean isLast = next == text.length() - 1 // the value may have the path, too
                    && found.end(1) == path.text().length()
                    && (before.isEmpty() || before.charAt(before.length() - 1) != ':');
            String part = isLast ? END_OF_HOST.matcher(value).replaceFirst("") : value;
            whole.append(text, at, next).append(part);
            boolean hasNameAndPath = !part.isEmpty() && part.length() < value.length() && !before.isEmpty();
            if (hasNameAndPath
                    || part.length() > LONGEST_HOST
                    || !part.matches(ofHost(before))
                    || before.isEmpty() && part.isEmpty()) {
                refuseHost();
            }
            at = next + 1;
        }
        whole.append(text.substring(at));
        boolean hadHost = hasHost(text.replace(FilledText.VALUE, 'a')) || hasHost(text.replace(FilledText.VALUE, '1'));
        if (isHttp && hadHost && !hasHost(whole.toString())) {
            refuseHost();
        }
    }

    private static void refuseHost() {
        throw new FieldException(
                "A value of the message changes the host of an address that the route computes, or is no name of a host");
    }

    /** What may follow a part of a host: another label only after a dot. */
    private static String ofHost(CharSequence before) {
        if (before.isEmpty()) {
            return "(?:\\[[\\da-fA-F:.]+]|" + PART_OF_HOST + ")(?::\\d+)?";
        }
        char last = before.charAt(before.length() - 1);
        if (last == ':') {
            return "\\d*";
        }
        return Character.isLetterOrDigit(last) || last == '-' || last == '_' ? "[\\p{L}\\p{N}_-]*" : PART_OF_HOST;
    }

    /** Whether Java finds a host. Camel would send to the host null, with messages of other values that have none. */
    private static boolean hasHost(String authority) {
        try {
            return new URI(HTTP + authority).getHost() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static boolean isUri(String text) {
        try {
            return new URI(text).getScheme() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** Whether the route writes the host of an address itself, also in parameters. @param text in the language simple */
    static boolean hasHostOfRoute(String text) {
        String sample = FilledText.sample(text).orElse("");
        return !sample.isEmpty()
                && sample.charAt(0) != FilledText.VALUE
                && Stream.concat(Stream.of(sample.split("\\?", 2)[0]), parameters(sample).values().stream())
                        .map(AUTHORITY::matcher)
                        .noneMatch(authority ->
                                authority.lookingAt() && authority.group(1).indexOf(FilledText.VALUE) >= 0);
    }

    /**
     * The parameters as Camel reads them; empty if there are none, or they cannot be read, which Camel refuses. The second one of a name has the name
     * {@code name?1}.
     */
    static Map<String, String> parameters(String address) {
        String[] parts = address.split("\\?", 2);
        Map<String, String> parameters = new HashMap<>();
        try {
            URISupport.parseQuery(parts.length == 1 ? "" : parts[1], true, true).forEach((name, value) -> {
                List<?> values = value instanceof List<?> several ? several : Arrays.asList(value);
                for (int i = 0; i < values.size(); i++) {
                    String text = RAW.matcher(String.valueOf(values.get(i))).replaceFirst("$1");
                    parameters.put(i == 0 ? name : name + "?" + i, text);
                }
            });
        } catch (URISyntaxException e) {
            return Map.of();
        }
        return parameters;
    }

    private static int count(String sign, String text) {
        int count = 0;
        for (int at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + sign.length())) {
            count++;
        }
        return count;
    }
}
