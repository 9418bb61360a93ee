package dev.caravan.identity;

import dev.caravan.http.Role;
import dev.caravan.settings.SettingsException;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which groups have which role: {@code admin: platform; operate: support, user:anna; read: *}. {@code user:} names a person, and
 * {@code *} means everyone who is signed in.
 */
final class RoleRules {
    private static final String EVERYONE = "*";
    private static final String USER = "user:";

    private final Map<Role, Set<String>> membersOfRole;

    private RoleRules(Map<Role, Set<String>> membersOfRole) {
        this.membersOfRole = membersOfRole;
    }

    /** @throws SettingsException naming the setting and what is wrong */
    static RoleRules parse(String setting, String text) {
        Map<Role, Set<String>> members = new EnumMap<>(Role.class);
        for (String rule : text.split(";")) {
            if (!rule.isBlank()) {
                String[] parts = rule.split(":", 2);
                Set<String> named = parts.length < 2 ? Set.of() : members(parts[1]);
                if (named.isEmpty() || members.put(role(setting, parts[0].strip()), named) != null) {
                    throw new SettingsException(setting + " must name each role once, with its groups, such as"
                            + " \"admin: platform; operate: support; read: *\", got \"" + rule.strip() + "\"");
                }
            }
        }
        if (members.isEmpty()) {
            throw new SettingsException(setting + " must say which groups have which role, such as"
                    + " \"admin: platform; operate: support; read: *\"; otherwise nobody could do anything");
        }
        if (members.getOrDefault(Role.ADMIN, Set.of()).contains(EVERYONE)) {
            throw new SettingsException(setting + " must not give the role admin to everyone");
        }
        return new RoleRules(members);
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

    /** The highest role of a person; empty if the person has none. */
    Optional<Role> role(String name, Collection<String> groups) {
        return membersOfRole.entrySet().stream()
                .filter(rule -> rule.getValue().stream().anyMatch(member -> isMember(member, name, groups)))
                .map(Map.Entry::getKey)
                .reduce((lower, higher) -> higher);
    }

    /** Those of the groups that have a role; a session stores only them. */
    List<String> named(Collection<String> groups) {
        return groups.stream()
                .filter(group -> membersOfRole.values().stream().anyMatch(members -> members.contains(group)))
                .distinct()
                .toList();
    }

    private static boolean isMember(String member, String name, Collection<String> groups) {
        return member.startsWith(USER)
                ? member.substring(USER.length()).equals(name)
                : member.equals(EVERYONE) || groups.contains(member);
    }
}
