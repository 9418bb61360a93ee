package dev.caravan.routes.tryout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Mask;
import dev.caravan.base.settings.Settings;
import dev.caravan.routes.destination.Bytes;
import dev.caravan.routes.destination.Header;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
    private static final Path NO_FILE = Path.of("no-such-folder", "application.properties");
    private static final String VALUE = "an \"odd\" <value> & more";

    @ParameterizedTest
    @ValueSource(
            strings = {
                VALUE,
                "an+%22odd%22+%3Cvalue%3E+%26+more",
                "an%20%22odd%22%20%3Cvalue%3E%20%26%20more",
                "an &quot;odd&quot; &lt;value&gt; &amp; more"
            })
    void a_value_is_masked_in_each_encoding(String encoded) {
        Secrets secrets = Secrets.of(Settings.load(NO_FILE, Map.of())).and(List.of(VALUE));

        assertThat(secrets.mask("x=" + encoded + "!")).isEqualTo("x=" + Mask.HIDDEN + "!");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
                    o'brien@b.example ~ <p>o&#39;brien@b.example</p> ~ <p>•••</p>
                    o'brien@b.example ~ o&#x27;brien%40b.example ~ •••
                    o'brien@b.example ~ O'Brien@B.EXAMPLE ~ •••
                    +49 (171) 1234567 ~ to=+49%20(171)%201234567&x ~ to=•••&x
                    +49 (171) 1234567 ~ to=+49+%28171%29+1234567 ~ to=•••
                    +49 (171) 1234567 ~ sms:+491711234567 ~ sms:+•••
                    +491711234567 ~ +49 171/123-4567, 12 ~ +•••, 12
                    half\\of"it ~ {"a": "half\\\\of\\"it"} ~ {"a": "•••"}
                    half\\of"it ~ "{\\"a\\": \\"half\\\\\\\\of\\\\\\"it\\"}" ~ "{\\"a\\": \\"•••\\"}"
                    C:\\new ~ {"a": "C:\\\\new"} or C:\\new ~ {"a": "•••"} or •••
                    %41 &amp; b ~ %41 &amp; b, %2541+%26amp%3B+b, %41 &amp;amp; b ~ •••, •••, •••
                    Zoë 😀 ~ Zo%C3%AB+%F0%9F%98%80, Zo\\u00eb \\ud83d\\ude00, Zo&#235; &#128512; ~ •••, •••, •••
                    """)
    void a_value_is_masked_in_the_encodings_and_notations_of_destinations(String value, String text, String masked) {
        Secrets secrets = Secrets.of(Settings.load(NO_FILE, Map.of())).and(List.of(value));

        assertThat(secrets.mask(text)).isEqualTo(masked);
    }

    /** Whoever has a hash of a phone number or of an address finds the value by trying all likely ones. */
    @ParameterizedTest
    @CsvSource(delimiter = '~', textBlock = """
                    em/DqUBiLmV4YW1wbGU= ~ •••
                    em_DqUBiLmV4YW1wbGU, and ~ •••, and
                    dG86em/DqUBiLmV4YW1wbGU7eA== ~ dG86•••7eA==
                    eHR6b8OpQGIuZXhhbXBsZQ== ~ eHR•••
                    7a6fc3a940622e6578616d706c65 ~ •••
                    7A6FC3A940622E6578616D706C65 ~ •••
                    id=8a0c5d5ec1a1df7e8e6ba3ab8ec7ab52 ~ id=8a0c5d5ec1a1df7e8e6ba3ab8ec7ab52
                    """)
    void a_value_is_masked_in_base64_and_as_digits(String text, String masked) {
        Secrets secrets = Secrets.of(Settings.load(NO_FILE, Map.of())).and(List.of("zoé@b.example"));

        assertThat(secrets.mask(text)).isEqualTo(masked);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MD5", "SHA-1", "SHA-256", "SHA-512"})
    void a_hash_of_a_value_is_masked(String algorithm) throws Exception {
        Secrets secrets = Secrets.of(Settings.load(NO_FILE, Map.of())).and(List.of("Zoe@B.example"));
        MessageDigest digest = MessageDigest.getInstance(algorithm);
        byte[] asWritten = digest.digest("Zoe@B.example".getBytes(StandardCharsets.UTF_8));
        byte[] lower = digest.digest("zoe@b.example".getBytes(StandardCharsets.UTF_8));

        for (byte[] hash : List.of(asWritten, lower)) {
            assertThat(secrets.mask("/" + HexFormat.of().formatHex(hash) + "?s=80"))
                    .isEqualTo("/" + Mask.HIDDEN + "?s=80");
            assertThat(secrets.mask(HexFormat.of().withUpperCase().formatHex(hash)))
                    .isEqualTo(Mask.HIDDEN);
            assertThat(secrets.mask("\"" + Base64.getEncoder().encodeToString(hash) + "\""))
                    .isEqualTo("\"" + Mask.HIDDEN + "\"");
        }
    }

    @Test
    void a_value_is_masked_in_bytes_and_in_encoded_words_of_a_mail() {
        Secrets secrets = Secrets.of(Settings.load(NO_FILE, Map.of())).and(List.of("zoë@b.example"));

        assertThat(secrets.mask(Bytes.of("\0ab zoë@b.example!")))
                .contains("*".repeat(12))
                .doesNotContain("zo", "7a 6f");
        assertThat(secrets.maskHeader(Header.of("Subject", "=?UTF-8?B?SGFsbG8gem/Dq0BiLmV4YW1wbGU=?=")))
                .isEqualTo("Hallo •••");
        assertThat(secrets.maskHeader(Header.of("Subject", "=?UTF-8?B?SGFsbG8=?=")))
                .isEqualTo("=?UTF-8?B?SGFsbG8=?=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Authorization",
                "Cookie",
                "X-API-Key",
                "X-Auth-Token",
                "X-Auth-Key",
                "Ocp-Apim-Subscription-Key",
                "PRIVATE-TOKEN",
                "X-Webhook-Secret"
            })
    void a_header_named_like_a_secret_is_masked_if_no_setting_has_its_value(String name) {
        Secrets secrets = Secrets.of(Settings.load(NO_FILE, Map.of()));

        assertThat(secrets.maskHeader(Header.of(name, "s3cr3t"))).isEqualTo(Mask.HIDDEN);
        assertThat(Secrets.shown().maskHeader(Header.of(name, "s3cr3t"))).isEqualTo("s3cr3t");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "partner.password",
                "partner.secret",
                "partner.token",
                "partner.key",
                "partner.signingKey",
                "partner.private-key",
                "PARTNER_KEY",
                "partner.pwd",
                "partner.passwd"
            })
    void the_value_of_a_setting_with_the_name_of_a_secret_is_masked(String setting) {
        Secrets secrets = Secrets.of(Settings.of(Map.of(setting, "XxXxSecret", "kafka.keySerializer", "plain-value")));

        assertThat(secrets.mask("a=XxXxSecret, b=plain-value")).isEqualTo("a=" + Mask.HIDDEN + ", b=plain-value");
    }

    /** A route reads them without a setting: {{partner.apikey}}, {{env:PARTNER_APIKEY}}, ${env:PARTNER_APIKEY}, ${sys.partner.apikey}. */
    @Test
    void secrets_of_the_environment_and_of_system_properties_are_masked() {
        Map<String, String> environment = Map.ofEntries(
                Map.entry("PARTNER_APIKEY", "tapir-3321"),
                Map.entry("GATEWAY_PASSWORD", "a b,c d"),
                Map.entry("PWD", "/work/shop"),
                Map.entry("OLDPWD", "/work/old"),
                Map.entry("HOME", "/home/relay"),
                Map.entry("TOKEN_CACHE_ENABLED", "false"),
                Map.entry("TOKEN_HOST", "localhost"),
                Map.entry("TOKEN_SERVICE_HOST", "10.0.0.5"),
                Map.entry("SHORT_SECRET", "1"));
        Secrets secrets = Secrets.of(Settings.of(Map.of()), environment, Map.of("partner.pwd", "okapi-5512"));

        assertThat(secrets.mask("tapir-3321 TAPIR-3321, okapi-5512; a b,c d")).isEqualTo("••• •••, •••; •••");
        String ordinary = "/work/shop /work/old /home/relay false localhost 10.0.0.5 1";
        assertThat(secrets.mask(ordinary)).isEqualTo(ordinary);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', textBlock = """
                    SMTP_PASS ~ tapir-3321 ~ tapir-3321 ~ •••
                    partner.smtpPass ~ tapir-3321 ~ tapir-3321 ~ •••
                    SSH_ASKPASS ~ /usr/bin/askpass ~ /usr/bin/askpass ~ /usr/bin/askpass
                    PROXY_BYPASS ~ intern.example ~ intern.example ~ intern.example
                    JWT_PRIVATE_KEY_PEM ~ tapir-3321 ~ tapir-3321 ~ •••
                    TOKEN_TTL ~ 86400 ~ 86400 ~ 86400
                    partner.tokenUrl ~ https://h/oauth ~ POST https://h/oauth ~ POST https://h/oauth
                    SECRET_NAME ~ orders ~ orders ~ orders
                    orders.routingKey ~ orders.created ~ orders.created ~ orders.created
                    PARTNER_SECRETS ~ tapir-3321, okapi-5512 ~ okapi-5512 ~ •••
                    CARAVAN_MANAGEMENT_TOKEN ~ tapir-3321-tapir@shop,billing ~ tapir-3321-tapir billing.paid ~ ••• billing.paid
                    caravan.management.readToken ~ tapir-3321-tapir@shop,billing ~ billing.paid ~ billing.paid
                    GCP_CREDENTIALS ~ {"type": "service_account", "key": "tapir-3321"} ~ {"type": "tapir-3321"} ~ {"type": "•••"}
                    PARTNER_TOKENS ~ {"a":{"b":["tapir-3321"]}} ~ "a": tapir-3321 ~ "a": •••
                    SIGNING_KEY ~ -----BEGIN PRIVATE KEY----- dGFwaXI= ~ private dGFwaXI= ~ private •••
                    """)
    void a_value_is_masked_unless_its_name_says_that_it_is_no_secret(
            String name, String value, String text, String masked) {
        assertThat(Secrets.of(Settings.of(Map.of()), Map.of(name, value), Map.of())
                        .mask(text))
                .isEqualTo(masked);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', textBlock = """
                    jdbc:postgresql://u:p@h/db?user=u&password=p+q&ssl=true ~ jdbc:postgresql://•••@h/db?user=•••&password=•••&ssl=true
                    {"url":"jdbc:postgresql:\\/\\/h\\/db?password=p\\u0026user=u"} ~ {"url":"jdbc:postgresql:\\/\\/h\\/db?password=•••\\u0026user=•••"}
                    url=jdbc%3Apostgresql%3A%2F%2Fh%2Fdb%3Fuser%3Du%26password%3Dp%26ssl%3Dtrue&x=1 ~ url=jdbc%3Apostgresql%3A%2F%2Fh%2Fdb%3Fuser%3D•••%26password%3D•••%26ssl%3Dtrue&x=1
                    jdbc:oracle:thin:scott/tiger@h:1521/db ~ jdbc:oracle:thin:•••@h:1521/db
                    jdbc:mysql://address=(host=h)(password=p q) ~ jdbc:mysql://address=(host=h)(password=•••
                    amqp://u:p/q@h:5672/ sftp://u:p@q@h/x and https://u@h/x ~ amqp://•••@h:5672/ sftp://•••@h/x and https://•••@h/x
                    https://h:8080/a@b http://[::1]:80/a@b https://h/@user ~ https://h:8080/a@b http://[::1]:80/a@b https://h/@user
                    back=https%3A%2F%2Fh&to=a%40b.example or http://h:80&to=a@b.example ~ back=https%3A%2F%2Fh&to=a%40b.example or http://h:80&to=a@b.example
                    https://u:p&q@h/x ~ https://•••@h/x
                    https://h/reset?id=7&token=abc ~ https://h/reset?id=7&token=•••
                    Open https://h/reset?token=a+b%20c and read it ~ Open https://h/reset?token=••• and read it
                    https://h/reset?token= and read it ~ https://h/reset?token= and read it
                    jdbc:postgresql://h/db?user=a b&password=p q&ssl=true ~ jdbc:postgresql://h/db?user=•••&password=•••&ssl=true
                    "http://h","a@b.example" http://h and a@b.example ~ "http://h","a@b.example" http://h and a@b.example
                    """)
    void a_login_in_an_address_is_masked_wherever_the_address_is(String text, String masked) {
        Secrets secrets = Secrets.of(Settings.of(Map.of()), Map.of(), Map.of());

        assertThat(secrets.mask(text)).isEqualTo(masked);
        assertThat(secrets.maskHeader(Header.of("X-Db", text))).isEqualTo(masked);
        assertThat(Secrets.shown().mask(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "secret:db/login, true",
        "aws:db/login, true",
        "env:DB_PASSWORD:none, true",
        "partner.token, true",
        "env:DB_URL:secret, false",
        "sys:user.home, false",
        "partner.url, false"
    })
    void the_value_of_a_placeholder_is_a_secret_by_its_name_or_if_it_is_from_a_vault(
            String placeholder, boolean secret) {
        Lookups lookups = new Lookups(Settings.of(Map.of()));

        lookups.onLookup(placeholder, "tapir-3321", null, null);

        assertThat(lookups.secrets().mask("tapir-3321")).isEqualTo(secret ? Mask.HIDDEN : "tapir-3321");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST http://h:80/to/max@b.c/end?a=x@y.z&password=one1 | POST http://h:80/to/max@b.c/end?a=x@y.z&password=•••",
                "http://joe:one1@h:80/to/max@b.c | http://•••@h:80/to/max@b.c",
                "smtp://joe:one/1@h:25 | smtp://•••@h:25",
            })
    void the_login_of_an_address_ends_before_its_path(String address, String masked) {
        assertThat(Secrets.of(Settings.of(Map.of())).maskAddress(address)).isEqualTo(masked);
    }

    @Test
    void the_user_of_a_mail_address_is_masked_alone_and_a_short_one_as_a_whole_word() {
        Secrets secrets = Secrets.of(Settings.of(Map.of()), Map.of(), Map.of())
                .and(List.of("Anna.Smith@b.example", "Otto <max@b.example>", "\\@b.example"));

        assertThat(secrets.mask("xanna.smithx, Max, maximum, b.example")).isEqualTo("x•••x, •••, maximum, b.example");
    }

    @Test
    void nothing_is_masked_if_all_values_are_shown() {
        assertThat(Secrets.shown().and(List.of(VALUE)).mask(VALUE)).isEqualTo(VALUE);
    }
}
