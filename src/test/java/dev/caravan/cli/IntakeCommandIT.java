package dev.caravan.cli;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The check of intakes, and what people see of them and change. */
class IntakeCommandIT extends IntakeCommands {
    @Test
    void x() throws Exception {
        execute(OUTBOX);
        Path file = write("shop", SHOP);
        System.out.println(run("check").out() + run("check").err());
        execute("insert into outbox (msg_key, topic, data) values ('7', 'order.placed', '{}')");
        System.out.println(run("check", "--statements", "--try-mark").out());
        System.out.println(run("check", "--output", "json", "--statements").out());
        write("shop", SHOP.replace("state = 0", "stat = 0").replace("data", "dta"));
        System.out.println(run("check", file.toString()));
        write("shop", SHOP.replace("\"state = 0\"", "\"stat = 0\"").replace("processed_on", "processedon"));
        System.out.println(run("check", file.toString()));
        write("shop", SHOP.replace("state = 1, ", ""));
        System.out.println(run("check", "--try-mark"));
        write("shop", SHOP.replace("shopDb", "shopDB"));
        write("Shop2", SHOP.replace("mark", "marks"));
        System.out.println(run("check", "--try-mark"));
        System.out.println(run("list"));
        System.out.println(run("remove", "shop"));
        System.out.println(CommandRun.of("check", "--config", config));
    }
}
