package dev.caravan.console.identity;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.clock.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Values that a browser stores for the relay: encrypted and authenticated (AES-GCM), with an expiry. All relays with the same secret can
 * open them, so a session is stored neither in a table nor in the memory of a relay. There is no header to parse, unlike in a JWE.
 */
final class Sealed {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String END = "end";
    private static final int IV_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int MIN_BYTES = IV_BYTES + TAG_BITS / Byte.SIZE;

    private final SecretKeySpec key;
    private final Clock clock;

    /** @param purpose a value that was sealed for one purpose cannot be opened for another */
    Sealed(String secret, String purpose, Clock clock) {
        this.clock = clock;
        try {
            Mac derivation = Mac.getInstance("HmacSHA256");
            derivation.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            key = new SecretKeySpec(
                    derivation.doFinal(("caravan cookie: " + purpose).getBytes(StandardCharsets.UTF_8)), "AES");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every Java runtime provides it
        }
    }

    String seal(ObjectNode fields, Duration validity) {
        fields.put(END, clock.now().plus(validity).toEpochMilli());
        byte[] iv = new byte[IV_BYTES];
        RANDOM.nextBytes(iv);
        try {
            byte[] hidden = cipher(Cipher.ENCRYPT_MODE, iv).doFinal(JSON.writeValueAsBytes(fields));
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(ByteBuffer.allocate(iv.length + hidden.length)
                            .put(iv)
                            .put(hidden)
                            .array());
        } catch (GeneralSecurityException | JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The fields; empty if the text was created with another secret or for another purpose, was changed, or has expired. */
    Optional<ObjectNode> open(String text) {
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text);
            if (bytes.length < MIN_BYTES) {
                return Optional.empty();
            }
            byte[] plain = cipher(Cipher.DECRYPT_MODE, bytes).doFinal(bytes, IV_BYTES, bytes.length - IV_BYTES);
            return Optional.of((ObjectNode) JSON.readTree(plain))
                    .filter(fields -> clock.now().isBefore(end(fields)));
        } catch (IllegalArgumentException | GeneralSecurityException | IOException e) {
            return Optional.empty();
        }
    }

    /** The expiry of fields that were opened. */
    static Instant end(ObjectNode fields) {
        return Instant.ofEpochMilli(fields.path(END).asLong());
    }

    /** @param text begins with the initialization vector */
    private Cipher cipher(int mode, byte[] text) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, text, 0, IV_BYTES));
        return cipher;
    }
}
