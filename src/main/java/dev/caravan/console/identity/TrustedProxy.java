package dev.caravan.console.identity;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.HiddenCharacters;
import dev.caravan.console.http.Authentication;
import dev.caravan.console.http.Caller;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Rights;
import dev.caravan.operate.audit.Via;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Accepts names and groups of people from a proxy in front of the relay, recognized by the address of the connection. A request with one of the
 * headers from another address is refused: a client tries to impersonate a person, or the address of the proxy is missing in the setting.
 */
final class TrustedProxy implements Authentication {
    private static final int MAX_NAME_LENGTH = 200;

    /** The headers of the name and of the groups. */
    record Headers(String name, String groups) {
        static Headers from(Settings settings) {
            List<String> names = Arrays.stream(
                            settings.text(PeopleSettings.NAMES, "X-Forwarded-User, X-Forwarded-Groups")
                                    .split(","))
                    .map(String::strip)
                    .toList();
            if (names.size() != 2
                    || names.stream().anyMatch(name -> !name.matches("[A-Za-z0-9-]+"))
                    || names.get(0).equalsIgnoreCase(names.get(1))) {
                throw new SettingsException(
                        PeopleSettings.NAMES + " must be two header names of letters, digits and hyphens:"
                                + " that of the person's name and that of the groups, such as X-Forwarded-User,"
                                + " X-Forwarded-Groups");
            }
            return new Headers(names.get(0), names.get(1));
        }
    }

    private final List<AddressRange> addresses;
    private final Headers headers;
    private final RoleRules roles;

    TrustedProxy(List<AddressRange> addresses, Headers headers, RoleRules roles) {
        this.addresses = addresses;
        this.headers = headers;
        this.roles = roles;
    }

    @Override
    public Future<Optional<Caller>> caller(RoutingContext context) {
        return Future.succeededFuture(caller(context.request()));
    }

    private Optional<Caller> caller(HttpServerRequest request) {
        Optional<String> name = value(request, headers.name());
        Optional<String> groups = value(request, headers.groups());
        if (name.isEmpty() && groups.isEmpty()) {
            return Optional.empty();
        }
        requireTrusted(request);
        return name.map(this::validName).map(person -> {
            Rights rights = roles.rights(
                            person, groups.map(TrustedProxy::groups).orElse(List.of()))
                    .orElseThrow(() -> new HttpProblem(403, PeopleSettings.withoutRole(person)));
            return new Caller(Optional.of(person), rights, Via.PROXY);
        });
    }

    /** The only value of a header. A second one may come from the client, if the proxy appends its value instead of replacing the header. */
    private static Optional<String> value(HttpServerRequest request, String header) {
        List<String> values = request.headers().getAll(header);
        if (values.size() > 1) {
            throw HttpProblem.wrong("The request has the header " + header + " " + values.size()
                    + " times. The proxy must replace the header of the client. Nothing was changed.");
        }
        return values.stream()
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .findFirst();
    }

    private void requireTrusted(HttpServerRequest request) {
        String address =
                Optional.ofNullable(request.remoteAddress().hostAddress()).orElse("");
        Optional<InetAddress> peer = AddressRange.address(address);
        if (peer.isEmpty() || addresses.stream().noneMatch(range -> range.contains(peer.get()))) {
            throw new HttpProblem(
                    403,
                    "The header " + headers.name() + " or " + headers.groups() + " is accepted from a proxy only, and "
                            + address + " is not in " + PeopleSettings.PROXIES + ". Nothing was changed.");
        }
    }

    private String validName(String value) {
        String name = HeaderText.decoded(value);
        if (name.length() > MAX_NAME_LENGTH || name.indexOf(',') >= 0 || HiddenCharacters.disguise(name)) {
            throw HttpProblem.wrong(
                    "The header " + headers.name() + " must be one name of at most " + MAX_NAME_LENGTH
                            + " characters, without a comma, a space at its ends or characters that are not shown. Nothing was changed.");
        }
        return name;
    }

    /** Only plain spaces beside a separator are none of the name: with others a group could be taken for another one. */
    private static List<String> groups(String value) {
        return Arrays.stream(HeaderText.decoded(value).split("[,;|]"))
                .map(String::trim)
                .toList();
    }
}
