package dev.caravan.lab.torture.stage;

import dev.caravan.lab.servers.TcpProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The network between clients and one or more servers of this machine. Each fault affects all of its connections. */
public final class Network implements AutoCloseable {
    private final List<TcpProxy> proxies;

    private Network(List<TcpProxy> proxies) {
        this.proxies = proxies;
    }

    public static Network of(TcpProxy proxy) {
        return new Network(List.of(proxy));
    }

    /** @param ports the ports of the servers */
    static Network to(List<Integer> ports) throws IOException {
        List<TcpProxy> proxies = new ArrayList<>();
        for (int port : ports) {
            proxies.add(TcpProxy.to(port));
        }
        return new Network(proxies);
    }

    /** The ports that clients use, in the order of the servers. */
    List<Integer> ports() {
        return proxies.stream().map(TcpProxy::port).toList();
    }

    public void pass() throws IOException {
        for (TcpProxy proxy : proxies) {
            proxy.pass();
        }
    }

    public void delay(Duration time) throws IOException {
        for (TcpProxy proxy : proxies) {
            proxy.delay(time);
        }
    }

    public void dropData() throws IOException {
        for (TcpProxy proxy : proxies) {
            proxy.dropData();
        }
    }

    public void cutAfter(long bytes) throws IOException {
        for (TcpProxy proxy : proxies) {
            proxy.cutAfter(bytes);
        }
    }

    public void refuse() throws IOException {
        for (TcpProxy proxy : proxies) {
            proxy.refuse();
        }
    }

    public void reset() {
        proxies.forEach(TcpProxy::reset);
    }

    @Override
    public void close() throws IOException {
        for (TcpProxy proxy : proxies) {
            proxy.close();
        }
    }
}
