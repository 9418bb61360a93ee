package dev.caravan.camel.email;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.headers.RouteHeadersBinding;
import dev.caravan.camel.step.AnswerLimits;
import dev.caravan.camel.step.FieldCopy;
import dev.caravan.camel.step.OutboxDelivery;
import dev.caravan.camel.step.ProducerByExchange;
import jakarta.mail.NoSuchProviderException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.Properties;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.Producer;
import org.apache.camel.component.mail.DefaultJavaMailSender;
import org.apache.camel.component.mail.JavaMailSender;
import org.apache.camel.component.mail.MailConfiguration;
import org.apache.camel.component.mail.MailEndpoint;
import org.apache.camel.spi.EndpointStrategy;

/**
 * Makes each SMTP endpoint send messages of an outbox with {@link SmtpTransport}, and on a {@link LimitedSocket}: the mail library has a
 * timeout for each line of a reply only. Other exchanges of the endpoint are sent as without Caravan.
 */
public final class LimitedMail implements EndpointStrategy {
    private final AnswerLimits limits;

    public LimitedMail(AnswerLimits limits) {
        this.limits = limits;
    }

    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        return endpoint.getClass() == MailEndpoint.class
                        && isSmtp(((MailEndpoint) endpoint).getConfiguration().getProtocol())
                ? new BothMail((MailEndpoint) endpoint)
                : endpoint;
    }

    private static boolean isSmtp(String protocol) {
        return protocol != null && protocol.startsWith("smtp");
    }

    /** An endpoint with two producers. */
    private final class BothMail extends MailEndpoint implements OutboxDelivery {
        private BothMail(MailEndpoint original) {
            FieldCopy.copy(MailEndpoint.class, original, this);
        }

        @Override
        public Producer createProducer() {
            return new ProducerByExchange(this, this::createDelivery, super::createProducer);
        }

        @Override
        public Producer createDelivery() throws Exception {
            MailEndpoint own = new MailEndpoint();
            FieldCopy.copy(MailEndpoint.class, this, own);
            own.setConfiguration(new Delivering(this));
            RouteHeadersBinding.bind(own);
            return own.createProducer();
        }
    }

    /** A copy of the options of an endpoint. */
    private final class Delivering extends MailConfiguration {
        private Delivering(MailEndpoint endpoint) {
            FieldCopy.copy(MailConfiguration.class, endpoint.getConfiguration().copy(), this);
            setAdditionalJavaMailProperties(limited(endpoint));
        }

        /** The options of the mail library. Does not replace a socket factory that the route configures. */
        private Properties limited(MailEndpoint endpoint) {
            MailConfiguration options = endpoint.getConfiguration();
            String prefix = "mail." + options.getProtocol();
            Properties more = new Properties();
            more.put(prefix + ".socketFactory", options.isSecureProtocol() ? new Secure(endpoint) : new Plain());
            more.put(prefix + ".socketFactory.fallback", "false"); // to a socket without limits
            more.put(prefix + ".writetimeout", Long.toString(limits.getAttemptTimeout()));
            if (options.getAdditionalJavaMailProperties() != null) {
                more.putAll(options.getAdditionalJavaMailProperties());
            }
            more.put(prefix + ".reportsuccess", "false"); // with an exception, and the mail would be sent again
            return more;
        }

        /** Replaces Camel's sender only, and not one that the user has written. */
        @Override
        public JavaMailSender getJavaMailSender() {
            JavaMailSender sender = super.getJavaMailSender();
            return sender != null && sender.getClass() == DefaultJavaMailSender.class
                    ? new Sender((DefaultJavaMailSender) sender)
                    : sender;
        }

        @Override
        protected JavaMailSender createJavaMailSender(CamelContext context) {
            return new Sender((DefaultJavaMailSender) super.createJavaMailSender(context));
        }
    }

    /** A copy of Camel's sender with {@link SmtpTransport}. */
    private static final class Sender extends DefaultJavaMailSender {
        private Sender(DefaultJavaMailSender sender) {
            FieldCopy.copy(DefaultJavaMailSender.class, sender, this);
        }

        @Override
        protected Transport getTransport(Session session) throws NoSuchProviderException {
            return isSmtp(getProtocol()) ? SmtpTransport.of(session, getProtocol()) : super.getTransport(session);
        }
    }

    private Socket limited() {
        return new LimitedSocket(limits, Clock.SYSTEM);
    }

    /** The library connects the sockets that it creates. */
    private final class Plain extends SocketFactory {
        @Override
        public Socket createSocket() {
            return limited();
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
            throw new UnsupportedOperationException();
        }
    }

    /** The library connects the sockets that it creates, and then requests TLS on them. */
    private final class Secure extends SSLSocketFactory {
        private final MailEndpoint mail;
        private SSLSocketFactory tls;

        private Secure(MailEndpoint mail) {
            this.mail = mail;
        }

        @Override
        public Socket createSocket() {
            return limited();
        }

        @Override
        public Socket createSocket(Socket connected, String host, int port, boolean closes) throws IOException {
            return tls().createSocket(connected, host, port, closes);
        }

        /** As Camel creates it. */
        private synchronized SSLSocketFactory tls() throws IOException {
            if (tls == null) {
                var options = mail.getConfiguration().getSslContextParameters();
                try {
                    tls = options == null
                            ? (SSLSocketFactory) SSLSocketFactory.getDefault()
                            : options.createSSLContext(mail.getCamelContext()).getSocketFactory();
                } catch (GeneralSecurityException e) {
                    throw new IOException("The TLS settings of the mail server cannot be used", e);
                }
            }
            return tls;
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return new String[0];
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return new String[0];
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
            throw new UnsupportedOperationException();
        }
    }
}
