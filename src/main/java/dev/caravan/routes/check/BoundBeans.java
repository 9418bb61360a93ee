package dev.caravan.routes.check;

import dev.caravan.routes.context.DefinedNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.CamelContext;

/** The beans of a context while it reads route files one after another. Also knows those whose names a Java file computes. */
final class BoundBeans {
    /** A bean that one file has bound in place of another bean. @param before the file of the other one; null for the relay */
    private record Replaced(String name, String file, String before) {}

    private final CamelContext context;
    private final Map<String, Object> beans;
    private final Map<String, String> files = new HashMap<>();
    private final List<Replaced> replaced = new ArrayList<>();

    BoundBeans(CamelContext context) {
        this.context = context;
        beans = new HashMap<>(context.getRegistry().findByTypeWithName(Object.class));
    }

    /** Call it after each step that reads a file. */
    void read(String file) {
        context.getRegistry().findByTypeWithName(Object.class).forEach((name, bean) -> {
            Object previous = beans.put(name, bean);
            if (previous != bean) {
                String before = files.put(name, file);
                if (previous != null && !file.equals(before)) {
                    replaced.add(new Replaced(name, file, before));
                }
            }
        });
    }

    /** @param defined what is known from the texts of the files, and reported with lines */
    List<CheckResult> problems(Map<String, DefinedNames> defined) {
        return replaced.stream()
                .filter(each -> !isDefined(each.name, defined.get(each.file))
                        || each.before != null && !isDefined(each.name, defined.get(each.before)))
                .map(each -> CheckResult.problem(
                        "routes",
                        each.file,
                        "binds the bean " + each.name + ", and so does "
                                + (each.before == null ? "the relay, or a setting" : each.before)
                                + ". The routes of all files would use one of the two. Rename one"))
                .toList();
    }

    private static boolean isDefined(String name, DefinedNames file) {
        return file != null
                && file.names().stream().anyMatch(each -> each.name().equals(name));
    }
}
