package dev.caravan.cli;

/**
 * One result of {@code caravan check}.
 *
 * @param area settings, routes, database or destinations
 * @param name what was looked at
 * @param ok whether it can work
 * @param text what was found; for a problem also what to do
 */
record Finding(String area, String name, boolean ok, String text) {
    static Finding ok(String area, String name, String text) {
        return new Finding(area, name, true, text);
    }

    static Finding problem(String area, String name, String text) {
        return new Finding(area, name, false, text);
    }
}
