package dev.caravan.routes.check;

import dev.caravan.routes.context.CamelReason;
import java.lang.reflect.InvocationTargetException;
import java.util.Optional;
import org.apache.camel.CamelContext;
import org.apache.camel.DelegateEndpoint;
import org.apache.camel.Endpoint;
import org.apache.camel.support.PluginHelper;

/**
 * Checks the schedule of {@code quartz:} and {@code cron:}. Quartz reads it when the route starts, and a wrong one would prevent the start of the
 * whole relay. Quartz is in the folder {@code lib} of the user, so its classes are found at run time.
 */
final class CronSchedule {
    private static final String ENDPOINT = "org.apache.camel.component.quartz.QuartzEndpoint";

    private CronSchedule() {}

    /** What is wrong with the schedule; empty if nothing is, or if the endpoint has none. */
    static Optional<String> problem(CamelContext context, Endpoint endpoint) {
        Endpoint source = endpoint instanceof DelegateEndpoint delegating ? delegating.getEndpoint() : endpoint;
        if (source == null || !source.getClass().getName().equals(ENDPOINT)) {
            return Optional.empty();
        }
        Object cron = PluginHelper.getBeanIntrospection(context).getOrElseProperty(source, "cron", null, false);
        try {
            if (cron != null) {
                Class.forName(
                                "org.quartz.CronExpression",
                                true,
                                source.getClass().getClassLoader())
                        .getConstructor(String.class)
                        .newInstance(cron);
            }
            return Optional.empty();
        } catch (InvocationTargetException e) {
            return Optional.of("the schedule " + cron + " cannot be used: " + CamelReason.of(e)
                    + ". Quartz reads seconds first, and needs ? as the day of the month or of the week");
        } catch (ReflectiveOperationException e) {
            return Optional.empty(); // a version of Quartz without these classes checks the schedule at the start
        }
    }
}
