package dev.caravan.console.identity;

import java.util.List;

/** A person, as named in the ID token of an OpenID provider. */
record Person(String name, List<String> groups) {}
