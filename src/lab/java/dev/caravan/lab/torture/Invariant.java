package dev.caravan.lab.torture;

import java.util.List;

/**
 * The result of checking one invariant.
 *
 * @param figure the counted numbers, as text
 * @param violations one text per violation; empty if the invariant holds
 */
record Invariant(String name, String figure, List<String> violations) {
    boolean holds() {
        return violations.isEmpty();
    }
}
