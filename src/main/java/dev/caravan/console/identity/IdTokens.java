package dev.caravan.console.identity;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.HiddenCharacters;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.ErrorCodeValidator;
import org.jose4j.jwt.consumer.ErrorCodes;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.keys.resolvers.JwksVerificationKeyResolver;
import org.jose4j.lang.UnresolvableKeyException;

/** Checks ID tokens (OpenID Connect Core 1.0, 3.1.3.7) and reads the person from them. */
final class IdTokens {
    private static final String INVALID = "The ID token of the OpenID provider is invalid: ";
    private static final int SKEW_SECONDS = 60;
    private static final int MAX_NAME_LENGTH = 200;
    /** Accepts only signatures with a public key. A shared secret may be known to others. */
    private static final AlgorithmConstraints ALGORITHMS = new AlgorithmConstraints(
            ConstraintType.PERMIT,
            AlgorithmIdentifiers.RSA_USING_SHA256,
            AlgorithmIdentifiers.RSA_USING_SHA384,
            AlgorithmIdentifiers.RSA_USING_SHA512,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
            AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
            AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
            AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512,
            AlgorithmIdentifiers.EDDSA);

    private static final Map<Integer, String> PROBLEMS = Map.of(
            ErrorCodes.EXPIRED, "it has expired; compare the clocks",
            ErrorCodes.ISSUED_AT_INVALID_FUTURE, "it was issued in the future; compare the clocks",
            ErrorCodes.ISSUED_AT_INVALID_PAST, "it was issued too long ago; compare the clocks",
            ErrorCodes.AUDIENCE_INVALID, "it is for another client",
            ErrorCodes.AUDIENCE_MISSING, "it names no client",
            ErrorCodes.ISSUER_INVALID, "it is from another issuer",
            ErrorCodes.SIGNATURE_INVALID, "its signature is wrong");

    /** The token is signed with a key that is not among those of the provider. */
    static final class UnknownKey extends SignInFailure {
        private static final long serialVersionUID = 1L;

        UnknownKey() {
            super(INVALID + "the provider does not list the key of its signature.");
        }
    }

    private final OpenIdSettings settings;
    private final Clock clock;

    IdTokens(OpenIdSettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /**
     * @param keys those of the provider
     * @throws UnknownKey if none of them is that of the token
     * @throws SignInFailure if the token is invalid or has no name
     */
    Person person(String token, String nonce, List<JsonWebKey> keys) {
        try {
            JwtClaims claims = new JwtConsumerBuilder()
                    .setExpectedIssuer(settings.issuer())
                    .setExpectedAudience(settings.client())
                    .setRequireSubject()
                    .setRequireExpirationTime()
                    .setRequireIssuedAt()
                    .setIssuedAtRestrictions(SKEW_SECONDS, 10 * SKEW_SECONDS)
                    .setAllowedClockSkewInSeconds(SKEW_SECONDS)
                    .setEvaluationTime(NumericDate.fromMilliseconds(clock.now().toEpochMilli()))
                    .setJwsAlgorithmConstraints(ALGORITHMS)
                    .setVerificationKeyResolver(new JwksVerificationKeyResolver(keys))
                    .build()
                    .processToClaims(token);
            requireOurs(claims, nonce);
            return new Person(name(claims), groups(claims));
        } catch (InvalidJwtException e) {
            throw Causes.first(UnresolvableKeyException.class, e).isPresent()
                    ? new UnknownKey()
                    : new SignInFailure(INVALID + problems(e) + ".");
        } catch (MalformedClaimException e) {
            throw new SignInFailure(INVALID + "a claim has the wrong type.");
        }
    }

    /** Refuses a token that was issued to another client or for another sign-in. */
    private void requireOurs(JwtClaims claims, String nonce) throws MalformedClaimException {
        if (!nonce.equals(claims.getStringClaimValue("nonce"))) {
            throw new SignInFailure(INVALID + "it belongs to another sign-in.");
        }
        String party = claims.getStringClaimValue("azp");
        if (party == null ? claims.getAudience().size() > 1 : !party.equals(settings.client())) {
            throw new SignInFailure(INVALID + "it is for another client.");
        }
    }

    private String name(JwtClaims claims) {
        String claim = settings.nameClaim();
        if (claim.equals("email") && isFalse(claims.getClaimValue("email_verified"))) {
            throw new SignInFailure("The provider has not verified the email address.");
        }
        Object name = value(claims, claim).orElse("");
        if (!(name instanceof String text) || text.isBlank() || text.length() > MAX_NAME_LENGTH) {
            throw new SignInFailure("The ID token has no name in the claim " + claim + ". Set " + PeopleSettings.NAMES
                    + " to a claim that the provider sends.");
        }
        if (HiddenCharacters.disguise(text)) { // it could look like the name of another person
            throw new SignInFailure("The name in the claim " + claim
                    + " begins or ends with a space, or has characters that are not shown.");
        }
        return text;
    }

    /** Some providers write it as a text. */
    private static boolean isFalse(Object claim) {
        return claim != null && !String.valueOf(claim).equalsIgnoreCase("true");
    }

    private List<String> groups(JwtClaims claims) {
        Object groups = value(claims, settings.groupsClaim()).orElse(List.of());
        return groups instanceof Collection<?> several
                ? several.stream().map(String::valueOf).toList()
                : List.of(String.valueOf(groups));
    }

    /** The claim of this name. Without one, a name with dots, such as {@code realm_access.roles}, is a path into nested objects. */
    private static Optional<Object> value(JwtClaims claims, String name) {
        if (claims.hasClaim(name)) {
            return Optional.ofNullable(claims.getClaimValue(name));
        }
        Object value = claims.getClaimsMap();
        for (String part : name.split("\\.")) {
            value = value instanceof Map<?, ?> fields ? fields.get(part) : null;
        }
        return Optional.ofNullable(value);
    }

    /** Names the problems without the message of the exception, which quotes the claims. */
    private static String problems(InvalidJwtException e) {
        String known = e.getErrorDetails().stream()
                .map(ErrorCodeValidator.Error::getErrorCode)
                .map(code -> PROBLEMS.getOrDefault(code, "error " + code + " of jose4j"))
                .distinct()
                .collect(Collectors.joining(", "));
        return known.isEmpty() ? "it cannot be read" : known;
    }
}
