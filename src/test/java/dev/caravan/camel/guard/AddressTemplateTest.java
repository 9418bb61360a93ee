package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTemplateTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://shop/orders/${header.x} | http://shop/orders/7?httpMethod=GET | adds ?",
                "http://shop/orders/${header.x} | http://shop/orders/7#a | adds #",
                "http://shop/orders?id=${header.x} | http://shop/orders?id=7&throwExceptionOnFailure=false | adds &",
                "kafka:orders-${header.x} | kafka:orders-a?brokers=evil:9092 | adds ?",
                "http://shop/orders/${header.x} | http://shop/orders/a,kafka:evil | adds ,",
                "smtp://a?to=RAW(${header.x}) | smtp://a?to=RAW(b@c)&bcc=evil) | adds &",
                "http://shop?a=${header.x}&b=${header.y} | http://shop?a=RAW(1&b=2) | adds RAW",
                "http://shop?a=${header.x}&b=c | http://shop?a=RAW(1)&b=c | adds RAW",
                "standard-webhook:a?url=http://shop/${header.x} | standard-webhook:a?url=http://shop/[b] | percent-encoded",
                "http://shop?httpMethod=${header.x} | http://shop?httpMethod=%23class:java.lang.System%23getenv('A') | begins with #",
                "http://shop?a=b&httpMethod=${header.x} | http://shop?a=b&httpMethod=RAW(%20%2523type:a.B) | RAW",
                "http://shop?httpMethod=${header.x} | http://shop?httpMethod=+%23bean:dataSource | begins with #",
                "log:a?marker=${header.x} | log:a?marker=%20%23dataSource | begins with #",
                "log:a?marker=RAW(${header.x}) | log:a?marker=RAW(#one, #two) | begins with #",
                "http://shop?a=RAW(${header.x}) | http://shop?a=RAW(1,http://evil/,() | adds ,",
                "log:a?marker=${header.x} | log:a?marker=%23Type:a.B | begins with #",
                "email:a?text=${header.x} | email:a?text=file:/etc/hostname | begins with #",
                "sms:a?text=RAW(${header.x}) | sms:a?text=RAW( file:../env.sh) | begins with #",
                "file:out?fileName=${header.x} | file:out?fileName=resource:http://shop/a | begins with #",
                "file:out?fileName=${header.x} | file:out?fileName=resource%3Afile:/etc/hostname | begins with #",
                "http://shop/orders/${header.x} | http://shop/orders/../admin | segment",
                "http://shop/orders/${header.x}/lines | http://shop/orders/%252e%252e/lines | segment",
                "file:out/${header.x} | file:out/..\\a | segment",
                "http://shop/orders/${header.x} | http://shop/orders/a%0ab | control character",
                "http://api.example${header.x} | http://api.example.evil.example/a | host",
                "http://api.example${header.x} | http://api.example@evil.example/a | host",
                "http:api.example${header.x} | http:api.example:80@evil.example/a | host",
                "https://${header.x}.shop.example/a | https://evil.example/.shop.example/a | host",
                "https://${header.x}.shop.example/a | https://a\\.shop.example/a | host",
                "http://localhost:${header.x}/a | http://localhost:80@evil/a | host",
                "http://shop-${header.x}/a | http://shop-a:80@evil/a | host",
                "http://shop-${header.x}/a | http://shop-a.evil/a | host",
                "http://shop/orders?id=${header.x}&b=1 | http://shop/orders?id=7%26proxyHost=evil&b=1 | adds &",
                "sql:select 1?dataSource=${header.x} | sql:select 1?dataSource=%23class:evil | begins with #",
                "http://shop/orders/${header.x} | http://shop/orders/7%3Fadmin=1 | adds ?",
                "http://shop/orders/${header.x} | http://shop/orders/7%253Fadmin=1 | adds ?",
                "http://shop/orders/${header.x} | http://shop/orders/7%2523a | adds #",
                "kafka:orders-${header.x} | kafka:orders-a%3Fbrokers=evil:9092 | adds ?",
                "standard-webhook:a?url=http://${header.x}.shop/a&b=c | standard-webhook:a?url=http://evil/.shop/a&b=c | host",
                "standard-webhook:a?url=http://${header.x}.shop/a | standard-webhook:a?url=http://evil%2F.shop/a | host",
                "standard-webhook:a?url=http://${header.x}.shop/a | standard-webhook:a?url=http%3A//evil%2F.shop/a | host",
                "standard-webhook:a?url=RAW(http://${header.x}.shop/a) | standard-webhook:a?url=RAW(http://evil/.shop/a) | host",
                "standard-webhook:a?url=RAW(http://shop/${header.x}) | standard-webhook:a?url=RAW(http://shop/a?b=c) | adds ?",
                "standard-webhook:a?url=http://shop/a/${header.x} | standard-webhook:a?url=http://shop/a/../b | segment",
                "email:a?server=smtp://mail-${header.x}&to=b | email:a?server=smtp://mail-a.evil&to=b | host",
                "rest:post:a?host=${header.x}.shop | rest:post:a?host=evil/.shop | host",
                "http://shop?proxyHost=${header.x}.shop | http://shop?proxyHost=evil%2F.shop | host",
                "rest:post:a?host=${header.x}.shop | rest:post:a?host=http://evil/.shop | host",
                "rest:post:a?host=http://a${header.x}&host=http://b${header.y} | rest:post:a?host=http://a&host=http://b@evil | host",
                "https://${header.x}.shop.example/a | https://a_b.shop.example/a | host",
                "https://${header.x}.shop.example/a | https://bücher.shop.example/a | host",
                "http://${header.x}/a | http:///a | host",
                "netty-http:http://${header.x}.shop/in | netty-http:http://evil/.shop/in | host",
                "vertx-websocket:ws://a-${header.x}/in | vertx-websocket:ws://a-b@evil/in | host",
                "kafka:orders-${header.x} | kafka:orders-a/b | topic",
                "kafka:orders-${header.x} | kafka:orders-a b?clientId=c | adds ?",
                "kafka:orders-${header.x}?clientId=c | kafka:orders-a b?clientId=c | topic",
                "kafka:.${header.x} | kafka:.. | topic",
                "http://${header.x}/a | http:///evil/a | host",
                "jms:queue:orders-${header.x} | jms:queue:orders-a,evil | adds ,",
                "http://shop/orders/${header.x} | http://shop/orders/ | empty",
                "http://shop/orders/${header.x}/lines?id=${header.y} | http://shop/orders//lines?id=7 | empty",
                "http://shop/${header.x}${header.y} | http://shop/7 | empty",
                "http://a/${header.x}?b=${header.y},http://b/${header.z} | http://a/7?b=1,http://b/ | empty",
                "kafka:${header.x}-${header.y}-orders | kafka:-a-orders | empty",
                "kafka:orders-${header.x} | kafka:orders- | empty",
                "file:out/${header.x}?fileName=a | file:out/R&&D?fileName=a | adds &&",
                "file:out/${header.x} | file:out/ | empty",
                "rest:post:a?host=http://b/${header.x} | rest:post:a?host=http://b/ | empty",
                "jms:queue:orders-${header.x} | jms:queue:orders-a%2Cevil | adds ,",
                "kafka:orders?brokers=a-${header.x}.shop:9092 | kafka:orders?brokers=a-b.shop:9092%2Cevil:9092%2Cc.shop:9092 | host",
            })
    void a_value_that_changes_what_is_around_it_is_refused(String text, String address, String reason) {
        AddressTemplate template = AddressTemplate.ofStep(text, ",").orElseThrow();

        assertThatThrownBy(() -> template.require(address))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining(reason)
                .satisfies(error -> assertThat(error.getMessage()).doesNotContain("evil"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://shop?color=${header.x} | http://shop?color=%23fff",
                "http://shop?file=${header.x} | http://shop?file=file:a",
                "email:a?text=profile:${header.x} | email:a?text=profile:file:a",
                "sms:a?text=${header.x} | sms:a?text=%234711 is on its way",
                "sms:a?text=RAW(${header.x}) | sms:a?text=RAW(#4711)",
                "email:a?subject=${header.x} | email:a?subject=File: 7",
                "email:a?subject=RAW(${header.x}) | email:a?subject=RAW(Hello, you two)",
                "smtp://a?subject=${header.x} | smtp://a?subject=%23sale now",
                "http://shop/orders/${header.x} | http://shop/orders/7/R&D.2",
                "http://shop/orders/${header.x}?id=1&b=2 | http://shop/orders/R&D?id=1&b=2",
                "http://shop/orders/${header.x}?id=${header.y} | http://shop/orders/R%26D?id=1",
                "sql:select '${header.x}'?batch=true | sql:select 'R&D'?batch=true",
                "http://shop/orders/${header.x}/${header.y}?id=${header.z} | http://shop/orders/7/8?id=",
                "sql:select '${header.x}'?batch=true | sql:select ''?batch=true",
                "log:a?loggerName=${header.x} | log:a?loggerName=",
                "kafka:orders${header.eu == true ? '-eu' : ''} | kafka:orders",
                "http://shop/../orders/${header.x} | http://shop/../orders/..7",
                "http://shop?redirect=/a?b&x=${header.x} | http://shop?redirect=/a?b&x=../c d%25",
                "http://shop?${header.x}&b=1 | http://shop?a=1&c=2&b=1",
                "http://shop?b=1&${header.x} | http://shop?b=1&a=1&c=2",
                "smtp://a?subject=RAW(${header.x})&b=c | smtp://a?subject=RAW(R&D?)&b=c",
                "http://${header.x}/in | http://localhost:8080/in",
                "http://${header.x}/in | http://[::1]:8080/in",
                "http://localhost:${header.x}/in | http://localhost:80/in",
                "https://api.example${header.x} | https://api.example/orders/7",
                "https://${header.x}.shop.example/a | https://xn--bcher-kva-1.de.shop.example/a",
                "smtp://${header.x}.shop.example?to=b | smtp://a_b.shop.example?to=b",
                "kafka:orders-${header.x} | kafka:orders-a_B.1",
                "kafka:orders-${header.x}?clientId=a b | kafka:orders-a?clientId=a b",
                "kafka:a b-${header.x} | kafka:a b-c/d",
                "netty-http:http://${header.x}.shop/in | netty-http:http://a.shop/in",
                "http://shop/${header.${header.x}}/a | http://shop/b/a",
                "jms://queue:${header.x} | jms://queue:orders.a",
                "http://shop/orders/${header.x} | http://shop/orders/50%/R%26D%2C",
                "http://shop/orders?id=${header.x} | http://shop/orders?id=7%3Fa%23b%2526c",
                "standard-webhook:a?url=http://${header.x}.shop/a&b=${header.y} | standard-webhook:a?url=http://b.shop/a&b=/../x",
                "standard-webhook:a?url=${header.x}&b=c | standard-webhook:a?url=http://evil/&b=c",
                "http://shop?callback=https://a/${header.x} | http://shop?callback=https://a/b/50%",
                "http://shop?color=${header.x}&host=a ${header.y} | http://shop?color=%23ff0000&host=a b/c",
                "http://shop?${header.x}=https://a${header.y} | http://shop?a=https://a/b",
                "rest:post:a?host=${header.x} | rest:post:a?host=http://a.shop",
                "kafka:orders?brokers=${header.x}-1:9092,${header.x}-2:9092 | kafka:orders?brokers=a-1:9092,a-2:9092",
                "$simple{header.x}:a | direct:a",
            })
    void another_value_is_a_part_of_the_address(String text, String address) {
        AddressTemplate.ofStep(text, ",").ifPresent(template -> assertThatCode(() -> template.require(address))
                .doesNotThrowAnyException());
    }

    @Test
    void an_option_of_a_queue_may_have_a_comma() {
        AddressTemplate template = AddressTemplate.ofStep("amqp:orders-${header.x}?clientId=${header.y}", "")
                .orElseThrow();

        assertThatCode(() -> template.require("amqp:orders-a?clientId=a,b")).doesNotThrowAnyException();
    }

    @Test
    void the_name_of_a_topic_has_at_most_249_characters() {
        AddressTemplate template =
                AddressTemplate.ofStep("kafka:a${header.x}", "").orElseThrow();

        assertThatCode(() -> template.require("kafka:a" + "b".repeat(248))).doesNotThrowAnyException();
        assertThatThrownBy(() -> template.require("kafka:a" + "b".repeat(249))).hasMessageContaining("topic");
    }

    @Test
    void a_text_without_a_value_or_that_begins_with_one_is_no_template() {
        for (String text :
                new String[] {"", "kafka:orders", "${header.to}", "${header.to}/a?b=${header.c}", "http://a/${b"}) {
            assertThat(AddressTemplate.ofStep(text, ",")).as(text).isEmpty();
        }
    }

    @Test
    void a_value_of_a_query_adds_no_parameter() {
        AddressTemplate template =
                AddressTemplate.ofQuery("id=${header.x}&tenant=7").orElseThrow();

        assertThatThrownBy(() -> template.require("id=1&admin=1&tenant=7")).hasMessageContaining("adds &");
        assertThatCode(() -> template.require("id=a/../b?c#,%0Ad%26&tenant=7")).doesNotThrowAnyException();
        assertThatCode(() -> AddressTemplate.ofQuery("tenant=7&${header.x}")
                        .orElseThrow()
                        .require("tenant=7&a=b&c=d"))
                .as("a value that is a whole parameter may be several")
                .doesNotThrowAnyException();
    }

    /** Camel would look for the end of each RAW( in all that follows. */
    @Test
    void an_address_is_not_endless() {
        AddressTemplate template =
                AddressTemplate.ofStep("http://shop?a=${header.x}", ",").orElseThrow();

        assertThatThrownBy(() -> template.require("http://shop?a=" + "RAW(".repeat(30_000)))
                .hasMessageContaining("longer than 100000 characters");
    }
}
