package dev.caravan.lab.servers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ServerTests;
import dev.caravan.camel.kafka.KafkaClients;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** A broker that demands a login. */
class KafkaLoginIT {
    private static final String LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required ";

    @Test
    void a_record_arrives_after_a_login() throws Exception {
        ServerTests.require();
        int[] ports = FreePorts.two();
        try (var folder = new TemporaryFolder("caravan-kafka-login-")) {
            KafkaNode.format(folder.path(), 1, Uuid.randomUuid().toString());
            var broker = KafkaNode.start(KafkaNode.configuration(
                    folder.path(),
                    Map.of(
                            "process.roles", "broker,controller",
                            "node.id", "1",
                            "controller.quorum.voters", "1@localhost:" + ports[1],
                            "listeners", "LOGIN://localhost:" + ports[0] + ",CONTROLLER://localhost:" + ports[1],
                            "inter.broker.listener.name", "LOGIN",
                            "listener.security.protocol.map", "LOGIN:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
                            "sasl.enabled.mechanisms", "PLAIN",
                            "sasl.mechanism.inter.broker.protocol", "PLAIN",
                            "listener.name.login.plain.sasl.jaas.config",
                                    LOGIN + "username=\"shop\" password=\"secret\" user_shop=\"secret\";")));
            try (Producer<Object, Object> producer =
                    new KafkaClients(KafkaLoginIT.class.getClassLoader()).getProducer(settings(ports[0]))) {
                assertThat(producer.send(new ProducerRecord<>("orders", "1", "hello"))
                                .get(30, TimeUnit.SECONDS)
                                .hasOffset())
                        .isTrue();
            } finally {
                KafkaNode.stop(broker);
            }
        }
    }

    private static Properties settings(int port) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", "localhost:" + port);
        settings.put("key.serializer", StringSerializer.class);
        settings.put("value.serializer", StringSerializer.class);
        settings.put("security.protocol", "SASL_PLAINTEXT");
        settings.put("sasl.mechanism", "PLAIN");
        settings.put("sasl.jaas.config", LOGIN + "username=\"shop\" password=\"secret\";");
        return settings;
    }
}
