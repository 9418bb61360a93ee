package dev.caravan.lab.torture;

import java.util.List;

/**
 * Something that must hold, and what was found.
 *
 * @param figure what was counted, in words
 * @param violations what should not be there; empty if it holds
 */
record Invariant(String name, String figure, List<String> violations) {
    boolean holds() {
        return violations.isEmpty();
    }
}
