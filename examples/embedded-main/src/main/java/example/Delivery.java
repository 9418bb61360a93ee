package example;

import org.apache.camel.main.Main;

public final class Delivery {
    private Delivery() {}

    public static void main(String[] arguments) throws Exception {
        new Main(OrderRoutes.class).run(arguments);
    }
}
