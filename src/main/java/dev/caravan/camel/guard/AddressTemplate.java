package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.support.ObjectHelper;
import org.apache.camel.util.Pair;
import org.apache.camel.util.URISupport;

/**
 * An address, or the query of one, as a text of the language simple with values of a message in it. A value must not change what is around it: it
 * would add options or parameters, name another receiver, or lead to another path.
 */
final class AddressTemplate {
    /** Takes the place of each value. */
    static final char VALUE = '\uE000';

    /** Where a function begins. */
    static final Pattern BEGIN = Pattern.compile("\\$(?:simple)?\\{");

    /** The host of an address, with its port and a user. Camel accepts one without slashes, and behind the name of a component such as netty-http. */
    static final Pattern AUTHORITY = Pattern.compile(
            "(?:[a-z][a-z\\d+-]*:)?(?:https?|smtps?|ftps?|sftp|scp|smb|wss?|tcp|udp|ldaps?):/*([^/?#]*)",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern WHOLE_PARAMETER =
            Pattern.compile("(?:^|.*[?&])" + VALUE + "+(?:&.*|$)", Pattern.DOTALL);
    /** More than any receiver takes. Camel needs time for the square of the length. */
    private static final int LONGEST = 100_000;
    /** More than any host has. */
    private static final int LONGEST_HOST = 1_000;

    private static final String HTTP = "http://";
    private static final Pattern RAW = Pattern.compile("^RAW[({](.*)[)}]$", Pattern.DOTALL);
    private static final String PART_OF_HOST = "[\\p{L}\\p{N}._-]*";

    /** Parameters with a host, or several with commas, which is no whole address. */
    private static final Pattern HOST_PARAMETER = Pattern.compile(".*host|brokers", Pattern.CASE_INSENSITIVE);

    /** The other parameters of a step http: are those of the receiver. */
    private static final Pattern HOST_OF_HTTP = Pattern.compile("proxy.*host", Pattern.CASE_INSENSITIVE);

    private static final Pattern IS_HTTP = Pattern.compile("https?:", Pattern.CASE_INSENSITIVE);

    /** A topic that Kafka can have. */
    private static final Pattern TOPIC = Pattern.compile("kafka:(?://)?(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}");
    /** Steps to queues. ActiveMQ sends to each of several names that a comma separates. */
    private static final Pattern QUEUE = Pattern.compile("(?:jms|sjms2?|activemq6?|amqp):");

    private static final String CREATED = "#(?i:class|type|bean|property|autowired|valueAs)\\b";
    /** An option that begins so is an object: a bean, or what a class creates or its method returns. */
    private static final Pattern OBJECT = Pattern.compile(CREATED);
    /** Also one that is the name of a bean or names a file, for endpoints that have all their options themselves. */
    private static final Pattern OBJECT_OR_FILE =
            Pattern.compile(CREATED + "|#[a-zA-Z_][\\w.$-]*(?:\\s*,\\s*#[\\w.$-]+)*$|(?:file|resource|classpath):");

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

    private final String sample;
    private final boolean isAddress;
    private final boolean isOfStep;
    private final boolean isHttp;
    private final boolean isQueue;
    /** Whether each value of a path must not be empty. */
    private final boolean isFilled;

    private final List<String> signs;
    private final boolean hasParameters;
    private final String delimiter;
    private final Optional<Pattern> host;
    /** The addresses that parameters have, such as the {@code url} of {@code standard-webhook}, by the names of the parameters. */
    private final Map<String, AddressTemplate> inner = new HashMap<>();

    private AddressTemplate(String sample, boolean isAddress, boolean isOfStep, String delimiter, boolean mayBeEmpty) {
        this.sample = sample;
        this.isOfStep = isOfStep;
        isHttp = IS_HTTP.matcher(sample).lookingAt();
        isQueue = QUEUE.matcher(sample).lookingAt();
        isFilled = isAddress
                && !mayBeEmpty
                && !StatementTemplate.STEP.matcher(sample).lookingAt();
        this.delimiter = delimiter;
        this.isAddress = isAddress;
        boolean hasQuery = !isAddress || sample.indexOf('?') >= 0;
        hasParameters = hasQuery
                && !WHOLE_PARAMETER.matcher(sample).matches(); // otherwise the value is meant to have parameters
        List<String> ofPath =
                isOfStep && hasParameters ? List.of("?", "#", "&&") : List.of("?", "#"); // Camel refuses &&
        signs = isAddress ? ofPath : List.of();
        host = isAddress ? hostOf(sample) : Optional.empty();
        if (isOfStep) {
            parameters(sample).forEach(this::addInner);
        }
    }

    private void addInner(String name, String value) {
        String option = name.split("\\?")[0];
        boolean isHost =
                (isHttp ? HOST_OF_HTTP : HOST_PARAMETER).matcher(option).matches();
        String address = isHost && !AUTHORITY.matcher(value).lookingAt() ? HTTP + value : value;
        boolean hasValue = value.indexOf(VALUE) >= 0 && name.indexOf(VALUE) < 0;
        if (hasValue && AUTHORITY.matcher(address).lookingAt()) {
            inner.put(name, new AddressTemplate(address, true, false, "", !isFilled));
        }
    }

    /**
     * The address of a step that a text gives; empty if the text has no value of a message, or begins with one, which is the address then. Camel
     * decodes it before it looks for the query and for parameters.
     *
     * @param delimiter of the addresses, if the step sends to several; empty if it sends to one
     */
    static Optional<AddressTemplate> ofStep(String text, String delimiter) {
        return ofAddress(text, true, delimiter);
    }

    /** An address to which a step sends a request in place of its own; empty as for {@link #ofStep}. Nothing in it is decoded. */
    static Optional<AddressTemplate> ofRequest(String text) {
        return ofAddress(text, false, "");
    }

    private static Optional<AddressTemplate> ofAddress(String text, boolean isOfStep, String delimiter) {
        return sample(text)
                .filter(sample -> sample.charAt(0) != VALUE)
                .map(sample -> new AddressTemplate(sample, true, isOfStep, delimiter, hasEmpty(text, sample)));
    }

    /** The query that a text gives; empty if the text has no value of a message. */
    static Optional<AddressTemplate> ofQuery(String text) {
        return sample(text).map(sample -> new AddressTemplate(sample, false, false, "", true));
    }

    /** Checks the name of a file or topic, or the path, that a text gives; empty if the text has no value of a message, or is one. */
    static Optional<Consumer<String>> ofName(String text) {
        return sample(text)
                .filter(sample -> !isValue(sample) && !hasEmpty(text, sample))
                .map(sample -> name -> requireFilled(name, sample, ""));
    }

    private static boolean isValue(String sample) {
        return sample.matches(VALUE + "+");
    }

    /** Whether a function names the empty text itself: {@code ${header.eu == true ? '-eu' : ''}}. The route means it then. */
    static boolean hasEmpty(String text, String sample) {
        return Stream.of("''", "\"\"").anyMatch(empty -> count(empty, text) > count(empty, sample));
    }

    /** The text with {@link #VALUE} in place of each function; empty if there is none, or its end is missing. */
    static Optional<String> sample(String text) {
        StringBuilder sample = new StringBuilder();
        Matcher begin = BEGIN.matcher(text);
        int depth = 0;
        for (int at = 0; at < text.length(); at++) {
            if (begin.region(at, text.length()).lookingAt()) {
                if (depth++ == 0) {
                    sample.append(VALUE);
                }
                at = begin.end() - 1;
            } else if (depth > 0) {
                depth -= text.charAt(at) == '}' ? 1 : 0;
            } else {
                sample.append(text.charAt(at));
            }
        }
        return depth == 0 && sample.indexOf(String.valueOf(VALUE)) >= 0
                ? Optional.of(sample.toString())
                : Optional.empty();
    }

    /** Whether a value of a message is the end of an address, and not the whole one. */
    static boolean endsWithValue(String sample) {
        return sample.endsWith(String.valueOf(VALUE)) && sample.chars().anyMatch(each -> each != VALUE);
    }

    /** The hosts that values may give; empty if the text names the whole host. */
    private static Optional<Pattern> hostOf(String sample) {
        Matcher authority = AUTHORITY.matcher(sample);
        if (!authority.lookingAt() || authority.group(1).indexOf(VALUE) < 0) {
            return Optional.empty();
        }
        List<String> literals = Arrays.stream(authority.group(1).split(String.valueOf(VALUE), -1))
                .toList();
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i < literals.size(); i++) {
            String literal = literals.get(i);
            pattern.append(Pattern.quote(literal));
            if (i + 1 < literals.size()) {
                pattern.append(
                        literal.isEmpty() ? "(?:\\[[\\da-fA-F:.]+]|" + PART_OF_HOST + ")(?::\\d+)?" : after(literal));
            }
        }
        return Optional.of(Pattern.compile(pattern.toString()));
    }

    /** Whether the route writes the host itself, also in parameters. */
    boolean hasHostOfRoute() {
        return host.isEmpty() && inner.isEmpty();
    }

    /** What may follow a part of a host: another label only after a dot. */
    private static String after(String literal) {
        char last = literal.charAt(literal.length() - 1);
        if (last == ':') {
            return "\\d*";
        }
        return Character.isLetterOrDigit(last) || last == '-' || last == '_' ? "[\\p{L}\\p{N}_-]*" : PART_OF_HOST;
    }

    /**
     * Checks what the text gives for a message.
     *
     * @throws FieldException without a value, if one changes what is around it
     */
    void require(String address) {
        if (address.length() > LONGEST) {
            throw new FieldException("A value of the message makes an address or a query that the route computes longer"
                    + " than " + LONGEST + " characters");
        }
        if (isOfStep
                && URISupport.scanRaw(address).size()
                        != URISupport.scanRaw(sample).size()) {
            throw new FieldException(
                    "A value of the message adds RAW( to an address that the route computes, which Camel would remove");
        }
        String given = withoutRaw(address);
        String expected = withoutRaw(sample);
        String read = isOfStep ? decoded(given) : given;
        String readOfRoute = isOfStep ? decoded(expected) : expected;
        String added = Stream.of(
                        signs.stream().filter(sign -> count(sign, read) != count(sign, readOfRoute)),
                        Stream.of("&")
                                .filter(sign ->
                                        hasParameters && count(sign, query(read)) != count(sign, query(readOfRoute))),
                        Stream.of(delimiter)
                                .filter(sign -> count(sign, given) != count(sign, expected)
                                        || addresses(address, delimiter).size()
                                                != addresses(sample, delimiter).size()),
                        Stream.of(",")
                                .filter(sign -> isQueue && count(sign, path(read)) != count(sign, path(readOfRoute))))
                .flatMap(Function.identity())
                .distinct()
                .collect(Collectors.joining(" "));
        if (!added.isEmpty()) {
            throw new FieldException("A value of the message adds " + added + " to an address or a query that the"
                    + " route computes: it would add a"
                    + " parameter, an option or an address, or"
                    + " end a part of it. A parameter of the"
                    + " step rest: is encoded");
        }
        if (host.isPresent() && !isHost(given)) {
            throw new FieldException(
                    "A value of the message changes the host of an address that the route computes, or is"
                            + " no name of a host");
        }
        if (isTopic(path(readOfRoute.replace(VALUE, 'a'))) && !isTopic(path(read))) {
            throw new FieldException("A value of the message makes the name of a topic that Kafka cannot have");
        }
        if (isAddress) {
            requirePath(path(given), path(expected));
        }
        if (isFilled) {
            requireFilled(given, expected, delimiter);
        }
        if (isOfStep) {
            List<String> addresses = addresses(address, delimiter);
            List<String> addressesOfRoute = addresses(sample, delimiter);
            for (int i = 0; i < addressesOfRoute.size(); i++) {
                requireOptions(addresses.get(i), addressesOfRoute.get(i).strip(), isFilled);
            }
        }
        if (!inner.isEmpty()) {
            Map<String, String> parameters = parameters(address);
            inner.forEach((name, template) -> {
                template.requireParameter(parameters.getOrDefault(name, ""));
                if (!isHttp) {
                    template.requireUri(parameters.getOrDefault(name, ""));
                }
            });
        }
    }

    /** The options of a step, such as {@code fileName} of {@code file:}. Camel evaluates some that have a function. Most of HTTP are of the receiver. */
    private static void requireOptions(String address, String ofRoute, boolean isFilled) {
        if (ofRoute.indexOf(VALUE) <= 0) {
            return;
        }
        boolean ofReceiver = IS_HTTP.matcher(ofRoute).lookingAt();
        if (!ofReceiver && BEGIN.matcher(AddressPath.decoded(address)).find()) {
            throw new FieldException("A value of the message adds a function of the language simple to an address that"
                    + " the route computes, which Camel would evaluate");
        }
        Map<String, String> given = parameters(address);
        boolean isOwn = OWN.matcher(ofRoute).lookingAt();
        parameters(ofRoute).forEach((name, value) -> {
            if (isOwn && value.indexOf(VALUE) >= 0 && NEEDED.contains(name)) {
                requireNeeded(name, given.getOrDefault(name, ""));
            }
            if (value.strip().indexOf(VALUE) == 0) {
                requireText(given.getOrDefault(name, ""), ofReceiver ? OBJECT : OBJECT_OR_FILE);
            }
            if (!ofReceiver && value.indexOf(VALUE) >= 0 && FileName.isOfOption(name.split("\\?")[0])) {
                FileName.require(given.getOrDefault(name, ""), value);
                if (isFilled && !isValue(value)) {
                    requireFilled(given.getOrDefault(name, ""), value, "");
                }
            }
        });
    }

    /** Otherwise the step could not be created for the message, which looks like a mistake in the route that can be mended. */
    private static void requireNeeded(String name, String option) {
        if (option.isBlank()) {
            throw new FieldException(
                    "The message has no value for the option " + name + " of a step that the route computes");
        }
    }

    private static void requireText(String option, Pattern other) {
        if (Stream.of(option, AddressPath.decoded(option))
                .anyMatch(text -> other.matcher(text.replace('+', ' ').strip()).lookingAt())) {
            throw new FieldException(
                    "A value of the message begins with #, file: or resource: in an option of an"
                            + " address that the route computes. Camel would take an object, or the content of a file, in its place");
        }
    }

    private boolean isTopic(String address) {
        return isOfStep && TOPIC.matcher(address).matches();
    }

    private static void requirePath(String path, String pathOfRoute) {
        if (AddressPath.isUnreadable(path) && !AddressPath.isUnreadable(pathOfRoute)) {
            throw new FieldException(
                    "A value of the message adds a control character, or bytes that are not UTF-8, to an"
                            + " address that the route computes");
        }
        if (AddressPath.dots(path) != AddressPath.dots(pathOfRoute)) {
            throw new FieldException("A value of the message makes a segment . or .. in an address that the route"
                    + " computes, which would lead to another path");
        }
    }

    /** The path of each address has all its values. Empty ones in a query are those of parameters. */
    private static void requireFilled(String given, String expected, String delimiter) {
        String[] paths = split(given, delimiter);
        String[] pathsOfRoute = split(expected, delimiter);
        for (int i = 0; i < pathsOfRoute.length; i++) {
            String[] literals = path(pathsOfRoute[i]).split(String.valueOf(VALUE), -1);
            if (fits(path(paths[i]), literals, 0) && !fits(path(paths[i]), literals, 1)) {
                throw new FieldException(
                        "A value of the message is empty in an address, a path or a name that the route"
                                + " computes: it would be another one");
            }
        }
    }

    /**
     * The addresses that Camel finds in a text. A comma in parentheses separates none, but each other delimiter does, also in {@code RAW()}.
     *
     * @param delimiter empty if the text is one address
     */
    static List<String> addresses(String text, String delimiter) {
        List<String> addresses = new ArrayList<>();
        ObjectHelper.createIterator(text, delimiter.isEmpty() ? null : delimiter)
                .forEachRemaining(address -> addresses.add((String) address));
        return addresses;
    }

    private static String[] split(String text, String delimiter) {
        return text.split(Pattern.quote(delimiter), delimiter.isEmpty() ? 1 : -1);
    }

    /** Whether a text consists of the literals and, between each two, of so many characters or more. */
    private static boolean fits(String text, String[] literals, int least) {
        int last = literals.length - 1;
        int at = literals[0].length();
        if (!text.startsWith(literals[0])) {
            return false;
        }
        for (int i = 1; i < last; i++) { // the first place that fits leaves the most for the rest
            int found = text.indexOf(literals[i], at + least);
            if (found < 0) {
                return false;
            }
            at = found + literals[i].length();
        }
        return last == 0
                ? text.length() == at
                : text.endsWith(literals[last]) && text.length() - literals[last].length() >= at + least;
    }

    /** An address in an option is read as it is. */
    private void requireUri(String value) {
        if (isUri(sample.replace(VALUE, 'a')) && !isUri(value)) {
            throw new FieldException(
                    "A value of the message adds a sign to an address that the route computes, which must be"
                            + " percent-encoded there");
        }
    }

    private void requireParameter(String value) {
        require(sample.startsWith(HTTP) && !AUTHORITY.matcher(value).lookingAt() ? HTTP + value : value);
    }

    private static boolean isUri(String text) {
        try {
            return new URI(text).getScheme() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private boolean isHost(String address) {
        Matcher authority = AUTHORITY.matcher(address);
        Matcher ofRoute = AUTHORITY.matcher(sample);
        return authority.lookingAt()
                && ofRoute.lookingAt()
                && authority.start(1) == ofRoute.start(1) // otherwise the path of the route would be read as the host
                && authority.end(1) - authority.start(1) <= LONGEST_HOST
                && host.orElseThrow().matcher(authority.group(1)).matches()
                && (!isHttp
                        || hasHost(authority.group(1))
                        || !hasHost(ofRoute.group(1).replace(VALUE, 'a'))
                                && !hasHost(ofRoute.group(1).replace(VALUE, '1')));
    }

    /** Whether Java finds a host. Camel would send to the host null, with messages of other values that have none. */
    private static boolean hasHost(String authority) {
        try {
            return new URI(HTTP + authority).getHost() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static String path(String address) {
        return address.split("\\?", 2)[0];
    }

    private String query(String text) {
        return isAddress ? text.substring(text.indexOf('?') + 1) : text;
    }

    /** As Camel reads the address of a step: it decodes the path, that of HTTP twice, and the query once. */
    private String decoded(String address) {
        String[] parts = address.split("\\?", 2);
        if (parts.length == 1) {
            return AddressPath.decoded(address);
        }
        return AddressPath.decoded(parts[0]) + "?" + parts[1].replace("%26", "&");
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

    /** What Camel takes as it is, with all signs, is a value. */
    private static String withoutRaw(String address) {
        StringBuilder rest = new StringBuilder(address);
        List<Pair<Integer>> raw = URISupport.scanRaw(address);
        for (int i = raw.size() - 1; i >= 0; i--) {
            rest.delete(raw.get(i).getLeft(), raw.get(i).getRight() + 1);
        }
        return rest.toString();
    }

    private static int count(String sign, String text) {
        if (sign.isEmpty()) {
            return 0;
        }
        int count = 0;
        for (int at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + sign.length())) {
            count++;
        }
        return count;
    }
}
