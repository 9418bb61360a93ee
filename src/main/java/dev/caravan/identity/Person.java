package dev.caravan.identity;

import java.util.List;

/** A person as an OpenID provider describes one. */
record Person(String name, List<String> groups) {}
