package dev.caravan.camel.outbox;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * Closes the databases, relays and servers that a test, or its class, has created and left open, the last first: the sessions of databases would
 * use up those of the server. Applies to all tests, which run one after another.
 */
public final class LeftOpenOutboxes
        implements BeforeAllCallback,
                TestInstancePreConstructCallback,
                BeforeEachCallback,
                AfterEachCallback,
                AfterAllCallback {
    /** What is not closed yet, in order of creation, without the databases that are shared by classes. */
    public static final Set<AutoCloseable> OPEN = Collections.synchronizedSet(new LinkedHashSet<>());

    private static final Namespace EARLIER = Namespace.create(LeftOpenOutboxes.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        note(context);
    }

    /** The fields of a test may create databases. */
    @Override
    public void preConstructTestInstance(TestInstanceFactoryContext instance, ExtensionContext context) {
        note(context);
    }

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    /** An instance for all tests of a class may have created more. */
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
        context.getStore(EARLIER).getOrComputeIfAbsent(context.getUniqueId(), id -> Set.of(OPEN.toArray()));
    }

    private static void closeLater(ExtensionContext context) throws Exception {
        Set<?> earlier = context.getStore(EARLIER).get(context.getUniqueId(), Set.class);
        List<AutoCloseable> later = new ArrayList<>(List.of(OPEN.toArray(AutoCloseable[]::new)));
        later.removeAll(earlier);
        Collections.reverse(later);
        closeAll(later);
    }

    /** Closes the others too if one cannot be closed; the first failure is thrown, and the later ones are suppressed by it. */
    static void closeAll(List<? extends AutoCloseable> open) throws Exception {
        Exception failure = null;
        for (AutoCloseable each : open) {
            try {
                each.close();
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
