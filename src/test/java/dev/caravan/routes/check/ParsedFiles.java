package dev.caravan.routes.check;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.dsl.yaml.YamlRoutesBuilderLoader;
import org.apache.camel.spi.Resource;

/** Camel's loader of YAML files. Records which files are parsed; as a bean of a context it replaces the loader of that context. */
public final class ParsedFiles extends YamlRoutesBuilderLoader {
    private static final List<String> NAMES = new CopyOnWriteArrayList<>();

    /** The setting with which a relay or a check uses this loader. */
    public static final String SETTING = "camel.beans.parsedFiles";

    public static final String VALUE = "#class:" + ParsedFiles.class.getName();

    /** Forgets what was parsed. */
    public static void clear() {
        NAMES.clear();
    }

    /** The names of the parsed files without their endings, one for each time. */
    public static List<String> names() {
        return List.copyOf(NAMES);
    }

    @Override
    public RouteBuilder doLoadRouteBuilder(Resource file) throws Exception {
        NAMES.add(file.getLocation().replaceFirst(".*[/:]", "").replaceFirst("\\.camel\\.yaml$", ""));
        return super.doLoadRouteBuilder(file);
    }
}
