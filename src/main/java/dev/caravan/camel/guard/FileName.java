package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.util.regex.Pattern;

/** The name of a file or folder that a route computes: a value of a message does not lead out of the folder that the route names. */
final class FileName {
    private static final String NAME = ".*(?:file|path|dir|directory|folder)(?:name)?";

    /** {@code CamelFileName} and others. The parts of an address of HTTP are examined before a request is sent. */
    private static final Pattern HEADER = Pattern.compile("camel(?!http|rest)" + NAME, Pattern.CASE_INSENSITIVE);

    /** {@code tempFileName}, {@code remotePath} and others. */
    private static final Pattern OPTION = Pattern.compile(NAME + "|tempPrefix|moveExisting", Pattern.CASE_INSENSITIVE);

    private static final Pattern ABSOLUTE = Pattern.compile("[/\\\\]");

    private FileName() {}

    /** Whether a header of Camel names a file or a folder. */
    static boolean isOfHeader(String name) {
        return HEADER.matcher(name).matches();
    }

    /** Whether an option of a step other than {@code http:} names a file or a folder. */
    static boolean isOfOption(String name) {
        return OPTION.matcher(name).matches();
    }

    /**
     * Checks what a route gives as a name for a message.
     *
     * @throws FieldException if a value adds a segment {@code .} or {@code ..}, or the slash of a folder outside of that of the step; without the name
     */
    static void require(FilledText name) {
        if (AddressPath.dots(name.whole()) != AddressPath.dots(name.text())) {
            throw new FieldException(
                    "A value of the message makes a segment . or .. in the name of a file that the route"
                            + " computes, which would be in another folder");
        }
        if (name.beginsWithValue()
                && !name.isValue()
                && ABSOLUTE.matcher(name.whole()).lookingAt()) {
            throw new FieldException(
                    "A value of the message adds a slash at the beginning of the name of a file that the"
                            + " route computes, which would be in another folder");
        }
    }
}
