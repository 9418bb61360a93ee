package dev.caravan.camel.email;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.step.AnswerLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.Properties;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import org.apache.camel.Endpoint;
import org.apache.camel.component.mail.MailConfiguration;
import org.apache.camel.component.mail.MailEndpoint;
import org.apache.camel.spi.EndpointStrategy;

/** Makes each SMTP endpoint use {@link LimitedSocket}: the mail library has a timeout for each line of a reply only. */
public final class LimitedMail implements EndpointStrategy {
    private final AnswerLimits limits;

    public LimitedMail(AnswerLimits limits) {
        this.limits = limits;
    }

    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint instanceof MailEndpoint mail
                && String.valueOf(mail.getConfiguration().getProtocol()).startsWith("smtp")) {
            limit(mail, mail.getConfiguration());
        }
        return endpoint;
    }

    /** Does not replace a socket factory that the route configures. */
    private void limit(MailEndpoint mail, MailConfiguration options) {
        String prefix = "mail." + options.getProtocol();
        Properties more = new Properties();
        more.put(prefix + ".socketFactory", options.isSecureProtocol() ? new Secure(mail) : new Plain());
        more.put(prefix + ".socketFactory.fallback", "false"); // to a socket without limits
        more.put(prefix + ".writetimeout", Long.toString(limits.getAttemptTimeout()));
        if (options.getAdditionalJavaMailProperties() != null) {
            more.putAll(options.getAdditionalJavaMailProperties());
        }
        options.setAdditionalJavaMailProperties(more);
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
