package dev.caravan.camel.monitoring;

import dev.caravan.database.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections that are refused, or not answered, while a database is unavailable; or on which only the partitions cannot be read. */
public final class SwitchedDataSource extends DelegatingDataSource {
    private static final String PARTITIONS = Sql.file("operate/partitions").text();

    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean gone;
    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile CountDownLatch partitionsHeld = new CountDownLatch(0);
    private volatile boolean partitionsTimeOut;

    public SwitchedDataSource(DataSource target) {
        super(target);
    }

    public void refuses() {
        gone = true;
    }

    public void answers() {
        gone = false;
        held.countDown();
    }

    /** From now on a request for a connection gets neither a connection nor an error. */
    public void hangs() {
        held = new CountDownLatch(1);
    }

    /** From now on a read of the partitions is cancelled by the server. */
    public void partitionsTimeOut() {
        partitionsTimeOut = true;
    }

    /** From now on a read of the partitions gets no answer. */
    public void partitionsHang() {
        partitionsHeld = new CountDownLatch(1);
    }

    public void partitionsAnswer() {
        partitionsTimeOut = false;
        partitionsHeld.countDown();
    }

    /** The number of callers that wait for a connection. */
    public int waiting() {
        return waiting.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (gone) {
            throw new SQLException("Connection to db refused", "08001");
        }
        waiting.incrementAndGet();
        try {
            held.await();
        } catch (InterruptedException e) {
            throw new SQLException(e);
        } finally {
            waiting.decrementAndGet();
        }
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement") && arguments[0].equals(PARTITIONS)) {
                        readPartitions();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void readPartitions() throws Exception {
        partitionsHeld.await();
        if (partitionsTimeOut) {
            throw new SQLException("canceling statement due to statement timeout", "57014");
        }
    }
}
