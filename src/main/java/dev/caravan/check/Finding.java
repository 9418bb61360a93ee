package dev.caravan.check;

/**
 * One result of {@code caravan check}.
 *
 * @param area settings, routes, database or destinations
 * @param name what was looked at
 * @param ok whether it can work
 * @param text what was found; for a problem also what to do
 */
public record Finding(String area, String name, boolean ok, String text) {
    /** Whether it is about the settings or the routes: with a problem there no relay starts. */
    public boolean isConfiguration() {
        return area.equals("settings") || area.equals("routes");
    }

    public static Finding ok(String area, String name, String text) {
        return new Finding(area, name, true, text);
    }

    public static Finding problem(String area, String name, String text) {
        return new Finding(area, name, false, text);
    }
}
