package dev.caravan.console.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.console.http.Rights;
import dev.caravan.console.http.Role;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoleRulesTest {
    private static final RoleRules RULES =
            RoleRules.parse("roles", "admin: platform, user:anna; operate: support, on call; read: *");

    @Test
    void a_person_has_the_highest_role_of_the_groups() {
        assertThat(role(RULES, "bert", List.of("support", "platform"))).contains(Role.ADMIN);
        assertThat(role(RULES, "bert", List.of("on call"))).contains(Role.OPERATE);
        assertThat(role(RULES, "anna", List.of())).contains(Role.ADMIN);
        assertThat(role(RULES, "bert", List.of("Platform", "plat"))).contains(Role.READ);
    }

    @Test
    void a_group_cannot_have_the_rights_of_a_person_or_of_everyone() {
        RoleRules rules = RoleRules.parse("roles", "admin: user:anna; operate: support");

        assertThat(role(rules, "bert", List.of("user:anna", "anna", "*"))).isEmpty();
        assertThat(role(rules, "support", List.of())).isEmpty();
    }

    private static Optional<Role> role(RoleRules rules, String name, List<String> groups) {
        return rules.rights(name, groups).flatMap(rights -> rights.in("shop"));
    }

    @Test
    void a_role_can_be_limited_to_outboxes() {
        RoleRules rules = RoleRules.parse("roles", "admin@billing: support; operate@shop, audit: support; read: staff");
        Rights support = rules.rights("bert", List.of("support")).orElseThrow();
        Rights both = rules.rights("bert", List.of("support", "staff")).orElseThrow();

        assertThat(support.in("billing")).contains(Role.ADMIN);
        assertThat(support.in("shop")).contains(Role.OPERATE);
        assertThat(support.in("audit")).contains(Role.OPERATE);
        assertThat(support.in("public")).isEmpty();
        assertThat(support.in("Billing")).isEmpty();
        assertThat(both.in("public")).contains(Role.READ);
        assertThat(both.in("billing")).contains(Role.ADMIN);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | must name the groups of each role",
                "owner: platform | known are read, operate, admin",
                "admin | must name each role once",
                "admin: | must name each role once",
                "read: a; read: b | must name each role once",
                "read@a,b: x; read@b,a: y | must name each role once",
                "read@: x | must have schemas of outboxes after @",
                "read@a,: x | must have schemas of outboxes after @",
                "read@a@'b: x | must have schemas of outboxes after @",
                "admin@a: * | must not give the role admin to everyone",
                "admin: * | must not give the role admin to everyone"
            })
    void wrong_rules_are_refused(String text, String why) {
        assertThatThrownBy(() -> RoleRules.parse("caravan.people.roles", text))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("caravan.people.roles")
                .hasMessageContaining(why);
    }
}
