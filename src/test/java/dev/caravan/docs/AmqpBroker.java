package dev.caravan.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;

/** A broker with AMQP 1.0 that stores its queues in memory and accepts one user. */
final class AmqpBroker implements AutoCloseable {
    private final EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    private final int port;

    /** @param port a free port, or 0: the broker then finds one */
    static AmqpBroker start(int port, String user, String password) throws Exception {
        return new AmqpBroker(port, new OneUser(user, password));
    }

    private AmqpBroker(int port, OneUser user) throws Exception {
        broker.setConfiguration(inMemory(port));
        broker.setSecurityManager(user);
        broker.start();
        var acceptor = broker.getActiveMQServer().getRemotingService().getAcceptor("amqp");
        this.port = ((NettyAcceptor) acceptor).getActualPort();
    }

    private static Configuration inMemory(int port) throws Exception {
        return new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setJournalType(JournalType.NIO) // the other one searches for a native library
                .setJMXManagementEnabled(false)
                .addAcceptorConfiguration("amqp", "tcp://localhost:" + port + "?protocols=AMQP");
    }

    int port() {
        return port;
    }

    String address() {
        return "amqp://localhost:" + port;
    }

    long connectionsSinceStart() {
        return broker.getActiveMQServer().getTotalConnectionCount();
    }

    /** The messages of a queue, in the order in which a consumer would receive them. */
    List<Message> messages(String queue) {
        List<Message> messages = new ArrayList<>();
        try (var waiting = broker.getActiveMQServer().locateQueue(queue).browserIterator()) {
            waiting.forEachRemaining(reference -> messages.add(reference.getMessage()));
        }
        return messages;
    }

    @Override
    public void close() throws Exception {
        broker.stop();
    }

    private record OneUser(String user, String password) implements ActiveMQSecurityManager {
        @Override
        public boolean validateUser(String given, String with) {
            return user.equals(given) && password.equals(with);
        }

        @Override
        public boolean validateUserAndRole(String given, String with, Set<Role> roles, CheckType check) {
            return validateUser(given, with);
        }
    }
}
