package dev.caravan.camel.webhook;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;

/**
 * Resolves the host of each new connection to public addresses only. The connection uses the addresses that were checked, so a
 * second answer of the name server cannot redirect it to a private network.
 */
public final class PublicAddresses implements DnsResolver {
    private static final Pattern LOCALHOST = Pattern.compile("(?:.*\\.)?localhost\\.?", Pattern.CASE_INSENSITIVE);
    /** An address, also one of numbers that operating systems read as one of IPv4. */
    private static final Pattern LITERAL =
            Pattern.compile("\\[.*|(?:(?:0x[0-9a-f]+|[0-9]+)(?:\\.|$))+", Pattern.CASE_INSENSITIVE);

    private final DnsResolver resolver;
    private final Optional<String> proxy;

    /**
     * @param resolver null: that of the machine
     * @param proxy to which the client may connect wherever it is; empty if there is none, or if it is the receiver
     */
    PublicAddresses(DnsResolver resolver, Optional<String> proxy) {
        this.resolver = resolver == null ? SystemDefaultDnsResolver.INSTANCE : resolver;
        this.proxy = proxy;
    }

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        InetAddress[] all = resolver.resolve(host);
        if (proxy.filter(host::equalsIgnoreCase).isPresent()) {
            return all;
        }
        InetAddress[] open =
                Arrays.stream(all).filter(address -> !isPrivate(address)).toArray(InetAddress[]::new);
        if (open.length == 0) {
            throw new UnknownHostException(refusal(host));
        }
        return open;
    }

    /** Whether a host is an address, or localhost, that is refused. Asks no name server: other names are not known to be private. */
    public static boolean isKnownPrivate(String host) {
        if (LOCALHOST.matcher(host).matches()) {
            return true;
        }
        try {
            return LITERAL.matcher(host).matches() && isPrivate(InetAddress.getByName(host));
        } catch (UnknownHostException e) {
            return e.getCause()
                    instanceof IllegalArgumentException; // newer versions of Java refuse hexadecimal numbers
        }
    }

    static String refusal(String host) {
        return host
                + " has no public address, and private addresses are refused. If the receiver is in your own network,"
                + " set allowPrivateAddresses=true";
    }

    @Override
    public String resolveCanonicalHostname(String host) throws UnknownHostException {
        return resolver.resolveCanonicalHostname(host);
    }

    /** Whether an address is not of the public internet (RFC 6890), or an IPv6 address that contains such an IPv4 address. */
    static boolean isPrivate(InetAddress address) {
        if (address.isAnyLocalAddress()
                || address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || address.isSiteLocalAddress()
                || address.isMulticastAddress()) {
            return true;
        }
        byte[] bytes = address.getAddress();
        return address instanceof Inet4Address ? isPrivate4(bytes) : isPrivate6((Inet6Address) address, bytes);
    }

    private static boolean isPrivate4(byte[] bytes) {
        int first = bytes[0] & 0xff;
        int second = bytes[1] & 0xff;
        return first == 0
                || first == 100 && second >= 64 && second < 128 // shared by a provider's customers
                || first == 192 && second == 0 && bytes[2] == 0
                || first == 198 && (second == 18 || second == 19) // benchmarks
                || first >= 240;
    }

    private static boolean isPrivate6(Inet6Address address, byte[] bytes) {
        int first = (bytes[0] & 0xff) << 8 | bytes[1] & 0xff;
        int second = (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
        if (first == 0x2002) { // 6to4
            return containsPrivate(bytes, 2);
        } else if (first == 0x64 && second == 0xff9b) { // NAT64
            return bytes[4] != 0 || bytes[5] != 0 || containsPrivate(bytes, 12);
        }
        return (first & 0xfe00) == 0xfc00 // unique local
                || first == 0 // IPv4-compatible and other special addresses
                || first == 0x2001 && second == 0 // Teredo
                || address.isIPv4CompatibleAddress();
    }

    private static boolean containsPrivate(byte[] bytes, int from) {
        try {
            return isPrivate(InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + 4)));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // four bytes are always an address
        }
    }
}
