package dev.caravan.camel.step;

import org.apache.camel.RuntimeCamelException;

/** A library that only some steps need, so that an application with the component has it only if it adds it. */
public final class NeededLibrary {
    private NeededLibrary() {}

    /**
     * Requires a library before a class is used that cannot be loaded without it.
     *
     * @param type the name of a class of the library
     * @param artifact group and name in Maven
     * @throws RuntimeCamelException if the application does not have it
     */
    public static void require(String user, String type, String artifact) {
        if (!isPresent(type)) {
            throw new RuntimeCamelException(user + " needs the library " + artifact
                    + ", which is not on the class path. Add it to the application.");
        }
    }

    /** Whether the application has a class. */
    public static boolean isPresent(String type) {
        try {
            Class.forName(type, false, NeededLibrary.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
