package dev.caravan.camel.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The secrets of a webhook. While a secret is replaced there are several, and each request has a signature of each. */
final class WebhookSecrets {
    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int MIN_BYTES = 24;
    private static final int MAX_BYTES = 64;

    private final List<SecretKeySpec> keys;

    private WebhookSecrets(List<SecretKeySpec> keys) {
        this.keys = keys;
    }

    /**
     * @param text secrets that begin with {@code whsec_}, separated by spaces, commas or line breaks
     * @throws IllegalArgumentException without the secrets in its message
     */
    static WebhookSecrets parse(String text) {
        List<SecretKeySpec> keys = Arrays.stream(text.strip().split("[\\s,]+(?=" + PREFIX + ")"))
                .filter(secret -> !secret.isEmpty())
                .map(secret -> secret.replace(' ', '+')) // Camel replaces a plus sign in a setting by a space
                .map(WebhookSecrets::key)
                .toList();
        if (keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no secret. Create one with: echo whsec_$(openssl rand -base64 32)");
        }
        return new WebhookSecrets(keys);
    }

    private static SecretKeySpec key(String secret) {
        if (!secret.startsWith(PREFIX)) {
            throw new IllegalArgumentException("a secret does not begin with whsec_");
        }
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(secret.substring(PREFIX.length()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a secret is not Base64 after whsec_");
        }
        if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("a secret must have between 24 and 64 bytes, got " + bytes.length
                    + ". Create one with: echo whsec_$(openssl rand -base64 32)");
        }
        return new SecretKeySpec(bytes, ALGORITHM);
    }

    /** The value of the header {@code webhook-signature}. */
    String signatures(String id, long timestamp, byte[] body) {
        byte[] begin = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
        return keys.stream().map(key -> "v1," + signature(key, begin, body)).collect(Collectors.joining(" "));
    }

    private static String signature(SecretKeySpec key, byte[] begin, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(begin);
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // each Java has this algorithm
        }
    }
}
