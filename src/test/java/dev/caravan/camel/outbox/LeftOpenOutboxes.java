package dev.caravan.camel.outbox;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Closes the databases that a test, or its class, has created and left open: their sessions would use up those of the server. Applies to
 * all tests, which run one after another.
 */
public final class LeftOpenOutboxes
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private static final Namespace EARLIER = Namespace.create(LeftOpenOutboxes.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        note(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        note(context);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        closeLater(context);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        closeLater(context);
    }

    private static void note(ExtensionContext context) {
        context.getStore(EARLIER).put(context.getUniqueId(), Set.copyOf(TestOutbox.OPEN));
    }

    private static void closeLater(ExtensionContext context) throws Exception {
        Set<?> earlier = context.getStore(EARLIER).get(context.getUniqueId(), Set.class);
        closeAll(TestOutbox.OPEN.stream()
                .filter(outbox -> !earlier.contains(outbox))
                .toList());
    }

    /** Closes the others too if one cannot be closed; the first failure is thrown, and the later ones are suppressed by it. */
    static void closeAll(List<TestOutbox> outboxes) throws Exception {
        Exception failure = null;
        for (TestOutbox outbox : outboxes) {
            try {
                outbox.close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
