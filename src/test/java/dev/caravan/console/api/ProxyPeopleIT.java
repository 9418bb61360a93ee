package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.console.api.HttpRelay.Answered;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What people may do if a proxy sends their names, and what the audit records about them. The test is the proxy. */
class ProxyPeopleIT {
    private static final String USER = "X-Forwarded-User";
    private static final String GROUPS = "X-Forwarded-Groups";
    private static final String[] TOKEN = {"Authorization", "Bearer " + HttpRelay.TOKEN};
    private static HttpRelay relay;

    @BeforeAll
    static void start() throws Exception {
        Map<String, String> settings = new HashMap<>(HttpRelay.tokens());
        settings.put("caravan.people.proxies", "127.0.0.1, ::1");
        settings.put("caravan.people.roles", "admin: platform; operate: support; read: staff");
        relay = HttpRelay.start(settings);
        Samples.fill(relay.database);
    }

    @AfterAll
    static void stop() {
        relay.close();
    }

    private static String[] person(String name, String groups) {
        return new String[] {USER, name, GROUPS, groups};
    }

    @Test
    void the_proxy_names_a_person_and_the_groups_give_the_role() throws Exception {
        JsonNode me = relay.get("/api/me", person("anna", "staff,support")).json();

        assertThat(me.get("name").asText()).isEqualTo("anna");
        assertThat(me.get("role").asText()).isEqualTo("operate");
        assertThat(me.get("via").asText()).isEqualTo("proxy");
    }

    @Test
    void the_audit_has_the_name_of_the_proxy_and_nobody_can_use_another_one() throws Exception {
        String[] anna = person("anna", "support");
        relay.post("/api/subscriptions/orders/pause", "{\"by\":\"bert\"}", anna).assertProblem(400, "by must be anna");

        relay.post("/api/subscriptions/orders/pause", "{\"reason\":\"test\"}", anna)
                .assertStatus(200);
        relay.post("/api/subscriptions/orders/resume", "{\"by\":\"night watch\"}", TOKEN)
                .assertStatus(200);

        JsonNode audit =
                relay.get("/api/audit?subscription=orders", anna).json().get("items");
        assertThat(audit.get(0).get("who").asText()).isEqualTo("night watch");
        assertThat(audit.get(0).get("via").asText()).isEqualTo("token");
        assertThat(audit.get(1).get("who").asText()).isEqualTo("anna");
        assertThat(audit.get(1).get("via").asText()).isEqualTo("proxy");
    }

    /** Headers of a row are sent to the address of a step, which may be this port; the test sends the header of a delivery, as a relay does. */
    @Test
    void a_row_is_not_the_proxy() throws Exception {
        String[] row = {USER, "root", GROUPS, "platform", OutboxConstants.OUTBOX_ID, "7"};

        relay.post("/api/subscriptions/orders/pause", "{}", row)
                .assertProblem(403, "this is the delivery of a message, which needs a token");
        relay.get("/api/me", row).assertStatus(403);
        relay.get("/api/me", TOKEN[0], TOKEN[1], OutboxConstants.OUTBOX_ID, "7").assertStatus(200);
    }

    @Test
    void each_change_needs_its_role() throws Exception {
        Answered pause = relay.post("/api/subscriptions/orders/pause", "{}", person("carla", "staff"));
        pause.assertStatus(403);
        assertThat(pause.detail())
                .isEqualTo("This operation needs the role operate, and carla has the role read. Nothing was changed.");
        relay.get("/api/dead-letters/sms/1?payload=true", person("carla", "staff"))
                .assertStatus(403);
        relay.get("/api/dead-letters/sms/1?payload=true", person("anna", "support"))
                .assertStatus(200);
        for (String change : new String[] {
            "/api/subscriptions/orders/replay {\"all\":true,\"dryRun\":true}",
            "/api/subscriptions/orders/lanes {\"lanes\":2}",
            "/api/subscriptions/orders/resume {\"after\":7}"
        }) {
            String[] parts = change.split(" ");
            assertThat(relay.post(parts[0], parts[1], person("anna", "support")).detail())
                    .as(change)
                    .startsWith("This operation needs the role admin, and anna has the role operate.");
        }
        relay.post("/api/subscriptions/orders/replay", "{\"all\":true,\"dryRun\":true}", person("paul", "platform"))
                .assertStatus(200);
    }

    @Test
    void a_person_without_a_role_sees_nothing() throws Exception {
        Answered answered = relay.get("/api/overview", person("dora", "guests"));

        answered.assertStatus(403);
        assertThat(answered.detail()).startsWith("dora has no role in Caravan.");
        relay.get("/api/overview", USER, "dora").assertStatus(403);
    }

    @Test
    void a_page_of_another_site_cannot_use_the_rights_of_a_person() throws Exception {
        relay.post(
                        "/api/subscriptions/orders/pause",
                        "{}",
                        USER,
                        "anna",
                        GROUPS,
                        "support",
                        "Origin",
                        "https://evil.example.com")
                .assertStatus(403);
        relay.post(
                        "/api/subscriptions/orders/pause",
                        "{}",
                        USER,
                        "anna",
                        GROUPS,
                        "support",
                        "Sec-Fetch-Site",
                        "cross-site")
                .assertStatus(403);
    }

    @Test
    void changes_are_counted_by_kind_and_not_by_name() throws Exception {
        String[] anna = person("anna", "support");
        double before = changes("mark");
        String group = "/api/dead-letters/groups/sms/"
                + relay.get("/api/dead-letters/groups", anna).text("/items/0/group");
        relay.post(group, "{\"note\":\"OPS-7\"}", anna).assertStatus(200);
        relay.post("/api/subscriptions/sms/resume", "{}", anna); // it is not paused: nothing changes
        relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"all\":true,\"dryRun\":true}", anna);
        relay.post("/api/subscriptions/sms/pause", "{}", person("carla", "staff")); // refused

        assertThat(changes("mark")).isEqualTo(before + 1);
        assertThat(changes("retry")).isZero();
        assertThat(changes("replay")).isZero();
        assertThat(metrics())
                .doesNotContain("anna", "kind=\"bulk\"", "kind=\"try\"")
                .contains("caravan_build_info{");
    }

    private static String metrics() throws Exception {
        return relay.get("/observe/metrics").response().body();
    }

    private static double changes(String kind) throws Exception {
        var line = Pattern.compile("caravan_changes_total\\{kind=\"" + kind + "\"} (\\S+)")
                .matcher(metrics());
        assertThat(line.find()).as(kind).isTrue();
        return Double.parseDouble(line.group(1));
    }
}
