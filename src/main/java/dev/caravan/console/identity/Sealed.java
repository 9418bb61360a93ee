package dev.caravan.console.identity;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.clock.Clock;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jwe.ContentEncryptionAlgorithmIdentifiers;
import org.jose4j.jwe.JsonWebEncryption;
import org.jose4j.jwe.KeyManagementAlgorithmIdentifiers;
import org.jose4j.lang.JoseException;

/**
 * Values that a browser stores for the relay: encrypted and authenticated (AES-GCM), with an expiry. All relays with the same secret can
 * open them, so a session is stored neither in a table nor in the memory of a relay.
 */
final class Sealed {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String END = "end";
    private static final String KEY = KeyManagementAlgorithmIdentifiers.DIRECT;
    private static final String CONTENT = ContentEncryptionAlgorithmIdentifiers.AES_256_GCM;

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

    private JsonWebEncryption encryption() {
        JsonWebEncryption encryption = new JsonWebEncryption();
        encryption.setAlgorithmConstraints(new AlgorithmConstraints(ConstraintType.PERMIT, KEY));
        encryption.setContentEncryptionAlgorithmConstraints(new AlgorithmConstraints(ConstraintType.PERMIT, CONTENT));
        encryption.setKey(key);
        return encryption;
    }

    String seal(ObjectNode fields, Duration validity) {
        fields.put(END, clock.now().plus(validity).toEpochMilli());
        JsonWebEncryption encryption = encryption();
        encryption.setAlgorithmHeaderValue(KEY);
        encryption.setEncryptionMethodHeaderParameter(CONTENT);
        try {
            encryption.setPayload(JSON.writeValueAsString(fields));
            return encryption.getCompactSerialization();
        } catch (JoseException | JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The fields; empty if the text was created with another secret or for another purpose, was changed, or has expired. */
    Optional<ObjectNode> open(String text) {
        JsonWebEncryption encryption = encryption();
        try {
            encryption.setCompactSerialization(text);
            return Optional.of((ObjectNode) JSON.readTree(encryption.getPayload()))
                    .filter(fields ->
                            clock.now().toEpochMilli() < fields.path(END).asLong());
        } catch (JoseException | JsonProcessingException e) {
            return Optional.empty();
        }
    }
}
