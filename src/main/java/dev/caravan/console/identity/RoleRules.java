package dev.caravan.console.identity;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.console.http.OutboxNames;
import dev.caravan.console.http.Rights;
import dev.caravan.console.http.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which groups have which role: {@code admin: platform; operate@billing: support, user:anna; read: *}. {@code user:} names a person,
 * {@code *} means everyone who is signed in, and names after {@code @} limit the role to these outboxes.
 */
final class RoleRules {
    private static final String EVERYONE = "*";
    private static final String USER = "user:";

    private record Rule(Rights.Grant grant, Set<String> members) {}

    private final List<Rule> rules;

    private RoleRules(List<Rule> rules) {
        this.rules = rules;
    }

    /** @throws SettingsException naming the setting and what is wrong */
    static RoleRules parse(String setting, String text) {
        List<Rule> rules = new ArrayList<>();
        for (String written : text.split(";")) {
            if (!written.isBlank()) {
                Rule rule = rule(setting, written);
                if (rule.members().isEmpty()
                        || rules.stream().anyMatch(other -> other.grant().equals(rule.grant()))) {
                    throw new SettingsException(setting + " must name each role once, with its groups, such as"
                            + " \"admin: platform; operate: support; read: *\", got \"" + written.strip() + "\"");
                }
                rules.add(rule);
            }
        }
        if (rules.isEmpty()) {
            throw new SettingsException(setting + " must name the groups of each role, such as"
                    + " \"admin: platform; operate: support; read: *\"; otherwise nobody could do anything");
        }
        if (rules.stream()
                .anyMatch(rule ->
                        rule.grant().role() == Role.ADMIN && rule.members().contains(EVERYONE))) {
            throw new SettingsException(setting + " must not give the role admin to everyone");
        }
        return new RoleRules(rules);
    }

    private static Rule rule(String setting, String written) {
        String[] parts = written.split(":", 2);
        String[] limited = parts[0].split("@", 2);
        return new Rule(
                new Rights.Grant(
                        role(setting, limited[0].strip()),
                        limited.length == 1 ? OutboxNames.ALL : OutboxNames.parse(setting, limited[1])),
                parts.length == 1 ? Set.of() : members(parts[1]));
    }

    private static Set<String> members(String text) {
        return Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(member -> !member.isEmpty())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Role role(String setting, String name) {
        return Arrays.stream(Role.values())
                .filter(role -> role.toString().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new SettingsException(setting + " has the role " + name + "; known are read, operate, admin"));
    }

    /** The rights of a person; empty if the person has no role in any outbox. */
    Optional<Rights> rights(String name, Collection<String> groups) {
        List<Rights.Grant> grants = rules.stream()
                .filter(rule -> rule.members().stream().anyMatch(member -> isMember(member, name, groups)))
                .map(Rule::grant)
                .toList();
        return grants.isEmpty() ? Optional.empty() : Optional.of(new Rights(grants));
    }

    /** The groups that the rules name. A session stores only these. */
    List<String> named(Collection<String> groups) {
        return groups.stream()
                .filter(group -> rules.stream().anyMatch(rule -> rule.members().contains(group)))
                .distinct()
                .toList();
    }

    private static boolean isMember(String member, String name, Collection<String> groups) {
        return member.startsWith(USER)
                ? member.substring(USER.length()).equals(name)
                : member.equals(EVERYONE) || groups.contains(member);
    }
}
