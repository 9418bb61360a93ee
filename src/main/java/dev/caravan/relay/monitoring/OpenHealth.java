package dev.caravan.relay.monitoring;

import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.Reason;
import dev.caravan.camel.monitoring.Check;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.health.HealthCheck;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.DefaultHealthCheckRegistry;

/**
 * The health checks of a context with texts that everybody may read, because health needs no token. The checks of Camel and of users quote
 * exceptions, statements and addresses.
 */
public final class OpenHealth extends DefaultHealthCheckRegistry {
    /** Tells how often a check was called, and its result. */
    private static final Pattern PLAIN_DETAIL = Pattern.compile("(check|invocation|failure|success)\\.[a-z.]+");

    /** The address of an endpoint at the end of a message. */
    private static final Pattern ADDRESS = Pattern.compile(" \\([\\w+.-]+:.*\\)$", Pattern.DOTALL);

    @Override
    public Stream<HealthCheck> stream() {
        return super.stream().map(check -> check instanceof Check ? check : new Shown(check));
    }

    /** The check itself, which can be unregistered. */
    @Override
    public Optional<HealthCheck> getCheck(String id) {
        return super.stream().filter(check -> check.getId().equals(id)).findFirst();
    }

    private record Shown(HealthCheck check) implements HealthCheck {
        @Override
        public Result call(Map<String, Object> options) {
            Result result = check.call(options);
            HealthCheckResultBuilder shown = HealthCheckResultBuilder.on(this).state(result.getState());
            result.getDetails().forEach((name, value) -> {
                if (PLAIN_DETAIL.matcher(name).matches()) {
                    shown.detail(name, value);
                }
            });
            return shown.message(message(result)).build();
        }

        private static String message(Result result) {
            String message = result.getMessage()
                    .map(text -> ADDRESS.matcher(text).replaceFirst(""))
                    .orElse("");
            String error = result.getError().map(Reason::of).orElse("");
            String text = message + (message.isEmpty() || error.isEmpty() ? "" : ": ") + error;
            return text.isEmpty() ? null : ErrorText.masked(text);
        }

        @Override
        public String getId() {
            return check.getId();
        }

        @Override
        public String getGroup() {
            return check.getGroup();
        }

        @Override
        public int getOrder() {
            return check.getOrder();
        }

        @Override
        public Map<String, Object> getMetaData() {
            return check.getMetaData();
        }

        @Override
        public boolean isEnabled() {
            return check.isEnabled();
        }

        @Override
        public void setEnabled(boolean enabled) {
            check.setEnabled(enabled);
        }

        @Override
        public boolean isReadiness() {
            return check.isReadiness();
        }

        @Override
        public boolean isLiveness() {
            return check.isLiveness();
        }
    }
}
