package dev.caravan.console.identity;

import dev.caravan.base.message.Mask;
import dev.caravan.base.settings.SettingsException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The addresses that begin with the same bits, such as {@code 10.0.0.0/8} or {@code fd00::/8}; a range without a length is a single address. */
record AddressRange(InetAddress first, int length) {
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    /** @throws SettingsException naming the setting and the wrong range */
    static List<AddressRange> list(String setting, String text) {
        return Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .map(part -> range(setting, part))
                .toList();
    }

    private static AddressRange range(String setting, String text) {
        String[] parts = text.split("/", 2);
        InetAddress first = address(parts[0])
                .orElseThrow(() -> wrong(setting, text, "must be addresses such as 10.0.0.0/8 or ::1"));
        int longest = first.getAddress().length * Byte.SIZE;
        int length = parts.length == 1 ? longest : length(setting, text, parts[1], longest);
        return new AddressRange(first, length);
    }

    private static int length(String setting, String range, String text, int longest) {
        if (!text.matches("\\d{1,3}") || Integer.parseInt(text) > longest) {
            throw wrong(setting, range, "must have a length up to " + longest + " after the slash");
        }
        if (Integer.parseInt(text) == 0) {
            throw wrong(setting, range, "must not trust every address");
        }
        return Integer.parseInt(text);
    }

    private static SettingsException wrong(String setting, String range, String problem) {
        String login = range.contains("@") ? Mask.HIDDEN : "";
        return new SettingsException(
                setting + " " + problem + ", got " + login + range.substring(Math.max(0, range.lastIndexOf('@'))));
    }

    /** Parses an address; empty for a host name, which is never looked up. */
    static Optional<InetAddress> address(String text) {
        String plain = text.split("%", 2)[0]; // without the interface of a link-local address
        if (!IPV4.matcher(plain).matches() && !IPV6.matcher(plain).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(plain));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    boolean contains(InetAddress address) {
        int bits = address.getAddress().length * Byte.SIZE;
        return bits == first.getAddress().length * Byte.SIZE
                && prefix(address, bits).equals(prefix(first, bits));
    }

    private BigInteger prefix(InetAddress address, int bits) {
        return new BigInteger(1, address.getAddress()).shiftRight(bits - length);
    }
}
