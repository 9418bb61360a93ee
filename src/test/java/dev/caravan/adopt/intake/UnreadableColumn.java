package dev.caravan.adopt.intake;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A result with one value that its driver cannot read. */
final class UnreadableColumn {
    private final ResultSet rows;
    private final int column;
    private final int row;
    private final SQLException failure;

    /** @param row its number, from 1 */
    UnreadableColumn(ResultSet rows, int column, int row, SQLException failure) {
        this.rows = rows;
        this.column = column;
        this.row = row;
        this.failure = failure;
    }

    ResultSet resultSet() {
        return (ResultSet) Proxy.newProxyInstance(
                ResultSet.class.getClassLoader(), new Class<?>[] {ResultSet.class}, (proxy, method, arguments) -> {
                    boolean isValue = method.getName().startsWith("get") && arguments != null;
                    if (isValue && arguments[0].equals(column) && rows.getRow() == row) {
                        throw failure;
                    }
                    try {
                        return method.invoke(rows, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
