package dev.caravan.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.http.Role;
import dev.caravan.settings.SettingsException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoleRulesTest {
    private static final RoleRules RULES =
            RoleRules.parse("roles", "admin: platform, user:anna; operate: support, on call; read: *");

    @Test
    void a_person_has_the_highest_role_of_the_groups() {
        assertThat(RULES.role("bert", List.of("support", "platform"))).contains(Role.ADMIN);
        assertThat(RULES.role("bert", List.of("on call"))).contains(Role.OPERATE);
        assertThat(RULES.role("anna", List.of())).contains(Role.ADMIN);
        assertThat(RULES.role("bert", List.of("Platform", "plat"))).contains(Role.READ);
    }

    @Test
    void a_group_cannot_have_the_rights_of_a_person_or_of_everyone() {
        RoleRules rules = RoleRules.parse("roles", "admin: user:anna; operate: support");

        assertThat(rules.role("bert", List.of("user:anna", "anna", "*"))).isEmpty();
        assertThat(rules.role("support", List.of())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | must say which groups",
                "owner: platform | known are read, operate, admin",
                "admin | must name each role once",
                "admin: | must name each role once",
                "read: a; read: b | must name each role once",
                "admin: * | must not give the role admin to everyone"
            })
    void wrong_rules_are_refused(String text, String why) {
        assertThatThrownBy(() -> RoleRules.parse("caravan.people.roles", text))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("caravan.people.roles")
                .hasMessageContaining(why);
    }
}
