package dev.caravan.camel.guard;

import dev.caravan.camel.step.FieldCopy;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.engine.AbstractCamelContext;
import org.apache.camel.language.bean.BeanLanguage;
import org.apache.camel.spi.Language;

/**
 * The language {@code bean}, with which {@code ${header.name.trim()}} calls a method of a value. Camel would take a text for an option of a route: it
 * would send a setting, which may be a secret, in place of <code>{{name}}</code>, and create an object of any class for {@code #class:name}.
 */
public final class MethodsOfValues extends BeanLanguage {
    /** The name of the bean in the registry. */
    public static final String BEAN = LANGUAGE + "-language";

    /** The place of a value, or of the bean of a route, among the arguments of an expression. */
    private static final int VALUE = 1;

    /** Makes a context use it, unless the user has bound a language of this name. Expressions that were made before keep that of Camel. */
    public static void bind(CamelContext context) {
        if (context.getRegistry().lookupByNameAndType(BEAN, Language.class) == null) {
            context.getRegistry().bind(BEAN, Language.class, new MethodsOfValues());
            FieldCopy.value(AbstractCamelContext.class, "languages", context, Map.class)
                    .remove(LANGUAGE);
        }
    }

    @Override
    protected <T> T property(Class<T> type, Object[] arguments, int index, Object ifNull) {
        return index == VALUE
                        && arguments != null
                        && arguments.length > VALUE
                        && arguments[VALUE] instanceof String text
                ? type.cast(text)
                : super.property(type, arguments, index, ifNull);
    }
}
