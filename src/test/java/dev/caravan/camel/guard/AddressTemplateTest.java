package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTemplateTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "${header.u}?a=1&b=${header.x} | log:a~RAW(1) | adds RAW",
                "http${header.s}://shop/a | ://evil/b | protocol",
                "http${header.s}:shop/a | :evil/b | protocol",
                "${header.s}://shop/a | http://evil/b | protocol",
                "${header.s}${header.t}://shop/a | http~://evil/b | protocol",
                "standard-webhook:a?url=http${header.s}://shop/a | ://evil/b | protocol",
                "standard-webhook:a?url=${header.s}://shop/a | http://evil | protocol",
                "http://shop:808${header.p} | 1/evil | host",
                "http://api.example.co${header.p} | m/evil | host",
                "standard-webhook:a?url=http://shop:808${header.p} | 1/evil | host",
                "rest:post:slots/${header.x}?host=shop | 10:30 | rest:post:orders/{id}",
                "rest:post:slots/${header.x}?host=shop | a%2Fb | rest:post:orders/{id}",
                "rest:post:slots/${header.x}?host=shop | {Authorization} | rest:post:orders/{id}",
                "rest:post:slots/${header.x}?host=shop | / | rest:post:orders/{id}",
                "rest:post:slots/${header.x}?host=shop | [a] | rest:post:orders/{id}",
                "rest:${header.x}:a?host=shop | delete:x | rest:post:orders/{id}",
                "rest:post:slots?host=shop&queryParameters=t=${header.x} | a&admin=true | rest:post:orders/{id}",
                "rest:post:slots?host=shop&queryParameters=RAW(t=${header.x}) | a+b | rest:post:orders/{id}",
                "standard-webhook:a?url=${header.u}/a?b=${header.x} | http://shop~a#b | adds #",
                "sms:a?url=${header.u}/${header.x}/b | http://shop~ | empty",
                "http://shop/orders/${header.x.replace('-','')} | | empty",
                "${header.u}/a?b=${header.x},log:c | http://a,http://b~1 | adds ,",
                "http://shop:${header.x} | 80/evil | host",
                "http://shop?httpMethod=RAW(${header.x}) | RAW(x) | adds RAW",
                "kafka:a?${header.x}-${header.y} | key=evil~a | adds =",
                "${header.u}/orders/${header.x} | http://shop~a?b | adds ?",
                "${header.u}/orders/${header.x} | log:$simple{sys:user.name}~a | function",
                "${header.u} | http://shop?httpMethod=$simple{sys:user.name} | function",
                "${header.u}&httpMethod=${header.x} | http://shop?proxyHost=$simple{sys:user.name}~a | function",
                "sms:a?text=%24${header.x} | {body} | function",
                "kafka:orders?${header.x}=${header.y} | brokers~evil:9092 | names an option",
                "http://shop/${header.x}/x${header.eu == true ? '-eu' : ''} | ~ | empty",
                "http://localhost:${header.x}/a | 80/evil | host",
                "standard-webhook:a?url=http://shop/a?b=${header.x} | #4711 | adds #",
                "http://shop/orders/${header.x} | 7?httpMethod=GET | adds ?",
                "http://shop/orders/${header.x} | 7#a | adds #",
                "kafka:orders-${header.x} | a?brokers=evil:9092 | adds ?",
                "standard-webhook:a?url=http://shop/${header.x} | [b] | percent-encoded",
                "http://shop?httpMethod=${header.x} | %23class:java.lang.System%23getenv('A') | begins with #",
                "http://shop?a=b&httpMethod=${header.x} | RAW(%20%2523type:a.B) | RAW",
                "http://shop?httpMethod=${header.x} | +$simple{sys:user.name} | function",
                "http://shop?a=${header.x} | \ud83d | half a character",
                "http://${header.x}/in | a.shop/b | host",
                "standard-webhook:a?url=${header.x}/in | http://shop/#a | ? or #",
                "${header.u}/orders?a=${header.x} | http://shop?b=1~2 | ? or #",
                "http://shop?httpMethod=${header.x} | +%23bean:dataSource | begins with #",
                "log:a?marker=${header.x} | %20%23dataSource | begins with #",
                "log:a?marker=RAW(${header.x}) | #one, #two | begins with #",
                "log:a?marker=${header.x} | %23Type:a.B | begins with #",
                "email:a?text=${header.x} | file:/etc/hostname | begins with #",
                "sms:a?text=RAW(${header.x}) |  file:../env.sh | begins with #",
                "file:out?fileName=${header.x} | resource:http://shop/a | begins with #",
                "file:out?fileName=${header.x} | resource%3Afile:/etc/hostname | begins with #",
                "http://shop/orders/${header.x} | ../admin | segment",
                "http://shop/orders/${header.x}/lines | %252e%252e | segment",
                "file:out/${header.x} | ..\\a | segment",
                "http://shop/orders/${header.x} | a%0ab | control character",
                "http://api.example${header.x} | .evil.example/a | host",
                "http://api.example${header.x} | @evil.example/a | host",
                "http:api.example${header.x} | :80@evil.example/a | host",
                "https://${header.x}.shop.example/a | evil.example/ | host",
                "https://${header.x}.shop.example/a | a\\ | host",
                "http://localhost:${header.x}/a | 80@evil | host",
                "http://shop-${header.x}/a | a:80@evil | host",
                "http://shop-${header.x}/a | a.evil | host",
                "sql:select 1?dataSource=${header.x} | %23class:evil | begins with #",
                "kafka:orders-${header.x} | a%3Fbrokers=evil:9092 | topic",
                "standard-webhook:a?url=http://${header.x}.shop/a&b=c | evil/ | host",
                "standard-webhook:a?url=http://${header.x}.shop/a | evil%2F | host",
                "standard-webhook:a?url=RAW(http://${header.x}.shop/a) | evil/ | host",
                "standard-webhook:a?url=RAW(http://shop/${header.x}) | a?b=c | adds ?",
                "standard-webhook:a?url=http://shop/a/${header.x} | ../b | segment",
                "email:a?server=smtp://mail-${header.x}&to=b | a.evil | host",
                "rest:post:a?host=${header.x}.shop | evil/ | host",
                "http://shop?proxyHost=${header.x}.shop | evil%2F | host",
                "rest:post:a?host=${header.x}.shop | http://evil/ | host",
                "rest:post:a?host=http://a${header.x}&host=http://b${header.y} | c~@evil | host",
                "https://${header.x}.shop.example/a | a_b | host",
                "https://${header.x}.shop.example/a | bücher | host",
                "http://${header.x}/a |  | host",
                "netty-http:http://${header.x}.shop/in | evil/ | host",
                "vertx-websocket:ws://a-${header.x}/in | b@evil | host",
                "kafka:orders-${header.x} | a/b | topic",
                "kafka:orders-${header.x} | a b?clientId=c | adds ?",
                "kafka:orders-${header.x}?clientId=c | a b | topic",
                "kafka:.${header.x} | . | topic",
                "http://${header.x}/a | /evil | host",
                "jms:queue:orders-${header.x} | a,evil | adds ,",
                "http://shop/orders/${header.x} |  | empty",
                "http://shop/orders/${header.x}/lines?id=${header.y} | ~7 | empty",
                "http://shop/${header.x}${header.y} | ~7 | empty",
                "http://a/${header.x}?b=${header.y},http://b/${header.z} | 7~1~ | empty",
                "kafka:${header.x}-${header.y}-orders | ~a | empty",
                "kafka:orders-${header.x} |  | empty",
                "file:out/${header.x} |  | empty",
                "rest:post:a?host=http://b/${header.x} |  | empty",
                "kafka:orders?brokers=a-${header.x}.shop:9092 | b.shop:9092%2Cevil:9092%2Cc | host",
            })
    void a_value_that_changes_what_is_around_it_is_refused(String text, String values, String reason) {
        assertThatThrownBy(() -> sent(text, values, ","))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining(reason)
                .satisfies(error -> assertThat(error.getMessage()).doesNotContain("evil"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://shop/orders?id=${header.x} | 7&throwExceptionOnFailure=false",
                "http${header.s}://shop/a | s",
                "${header.s}:queue:a | jms",
                "${header.s}:a | jms:queue",
                "http://shop:80${header.p} | /admin/a",
                "http://shop:80${header.p} | 80",
                "sms:a?text=${header.x}: new | http://shop/a",
                "rest:post:slots/${header.x}?host=shop&queryParameters=t=${header.y} | a b~2026-01-31",
                "http://shop/orders/${header.x} | a,kafka:evil",
                "smtp://a?to=RAW(${header.x}) | b@c)&bcc=evil",
                "http://shop?a=RAW(${header.x}) | 1,http://evil/,(",
                "http://shop/orders?id=${header.x}&b=1 | 7%26proxyHost=evil",
                "jms:queue:orders-${header.x} | a%2Cevil",
                "http://shop?color=${header.x} | %23fff",
                "http://shop?file=${header.x} | file:a",
                "email:a?text=profile:${header.x} | file:a",
                "sms:a?text=${header.x} | %234711 is on its way",
                "sms:a?text=RAW(${header.x}) | #4711",
                "email:a?subject=${header.x} | File: 7",
                "email:a?subject=RAW(${header.x}) | Hello, you two",
                "smtp://a?subject=${header.x} | %23sale now",
                "http://shop/orders/${header.x} | 7/R&D.2",
                "http://shop/orders/${header.x}?id=1&b=2 | R&D",
                "http://shop/orders/${header.x}?id=${header.y} | R%26D~1",
                "sql:select '${header.x}'?batch=true | R&D",
                "http://shop/orders/${header.x}/${header.y}?id=${header.z} | 7~8~",
                "sql:select '${header.x}'?batch=true | ",
                "log:a?loggerName=${header.x} | ",
                "kafka:orders${header.eu == true ? '-eu' : ''} | ",
                "http://shop/../orders/${header.x} | ..7",
                "http://shop?redirect=/a?b&x=${header.x} | ../c d%25",
                "http://shop?${header.x}&b=1 | a=1&c=2",
                "http://shop?b=1&${header.x} | a=1&c=2",
                "smtp://a?subject=RAW(${header.x})&b=c | R&D?",
                "http://${header.x}/in | localhost:8080",
                "http://${header.x}/in | [::1]:8080",
                "http://localhost:${header.x}/in | 80",
                "https://api.example${header.x} | /orders/7",
                "https://${header.x}.shop.example/a | xn--bcher-kva-1.de",
                "smtp://${header.x}.shop.example?to=b | a_b",
                "kafka:orders-${header.x} | a_B.1",
                "kafka:orders-${header.x}?clientId=a b | a",
                "kafka:a b-${header.x} | c/d",
                "netty-http:http://${header.x}.shop/in | a",
                "http://shop/${header.${header.x}}/a | b",
                "jms://queue:${header.x} | orders.a",
                "http://shop/orders/${header.x} | 50%/R%26D%2C",
                "http://shop/orders?id=${header.x} | 7%3Fa%23b%2526c",
                "standard-webhook:a?url=http://${header.x}.shop/a&b=${header.y} | b~/../x",
                "standard-webhook:a?url=${header.x}&b=c | http://evil/",
                "http://shop?callback=https://a/${header.x} | b/50%",
                "http://shop?color=${header.x}&host=a ${header.y} | %23ff0000~b/c",
                "http://shop?${header.x}=https://a${header.y} | a~/b",
                "rest:post:a?host=${header.x} | http://a.shop",
                "kafka:orders?brokers=${header.x}-1:9092,${header.x}-2:9092 | a~a",
                "$simple{header.x}:a | direct",
            })
    void another_value_is_a_part_of_the_address(String text, String values) {
        assertThatCode(() -> sent(text, values, ",")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "${header.u}/a?b=${header.x} | http://shop~c&proxyHost=d | http://shop/a?b=c%26proxyHost%3Dd",
                "${header.u}?key=${header.x} | kafka:a~k&brokers=b | kafka:a?key=RAW(k&brokers=b)",
                "http://shop?f_${header.x}=${header.y} | a~b&httpMethod=GET | http://shop?f_a=b%26httpMethod%3DGET",
                "http://shop/a${header.eu == true ? '-eu' : ''}?b=${header.x} | ~c | http://shop/a?b=c",
                "http://shop?httpMethod=p%2541&x=${header.x} | 1 | http://shop?x=1&httpMethod=p%2541",
                "http://shop${iif(header.eu, '-eu', '')}/a?b=${header.x} | ~1 | http://shop/a?b=1",
                "http://shop/${header.x}${header.y} | %2~F | http://shop/%252F",
                "http://shop/${header.x}${header.y} | 50%~20x | http://shop/50%2520x",
                "http://shop/${header.x}2Fx | 50% | http://shop/50%252Fx",
                "http://shop/${header.x}${header.y} | a&~&b | http://shop/a&&b",
                "http://shop/${header.x}?id=a | R&&D | http://shop/R&&D?id=a",
                "http://shop/a%2Fb/${header.x} | group%2Fname | http://shop/a%2Fb/group%2Fname",
                "http://shop/orders/${header.x} | a%2541 | http://shop/orders/a%2541",
                "http://shop/orders/${header.x} | M%FCnchen | http://shop/orders/M%FCnchen",
                "http://shop/orders/${header.x} | 7%3Fadmin=1 | http://shop/orders/7%3Fadmin=1",
                "http://shop/${header.x}?id=%C3%BC+b[ü] | e\u0301 [a] | http://shop/e%CC%81%20%5Ba%5D?id=%C3%BC+b%5B%C3%BC%5D",
                "http://shop?f_${header.x}=1 | a%41 | http://shop?f_a%2541=1",
                "http://shop?x=%24simple${header.x} | {sys:user.name} | http://shop?x=%24simple%7Bsys%3Auser.name%7D",
                "http://shop?${header.x}=${header.y} | proxyHost~evil | http://shop?proxyHost=evil",
                "http://shop?${header.x}=${header.y} | a=1&b~c | http://shop?a%3D1%26b=c",
                "http://shop?${header.x}-${header.y}&${header.z} | 1+1~a&b~a+b&httpMethod=GET | http://shop?1%2B1-a%26b&a+b&httpMethod=GET",
                "http://shop?b=${header.x}&a=RAW(${header.y}) | RAW(1)~RAW(2) | http://shop?b=RAW%281%29&a=RAW%282%29",
                "http://shop?a=${header.x} | 10\u00a0000\uD83D\uDE9A | http://shop?a=10%C2%A0000%F0%9F%9A%9A",
                "HTTPS:/${header.x}/in | [::1]:8080 | https://[::1]:8080/in",
                "http:https://shop/${header.x} | a | https://shop/a",
                "http://shop${header.x}?a | /b c | http://shop/b%20c?a",
                "${header.u} | http://shop/a%2Fb?x=1+1&y=ü %2B | http://shop/a%2Fb?x=1+1&y=%C3%BC%20%2B",
                "http://shop?httpMethod=${header.x}&a=1 | ' a+&%41 ' | http://shop?a=1&httpMethod=RAW( a+&%41 )",
                "sms:a?to=%2B49&text=${header.x} | b | sms:a?to=RAW(+49)&text=b",
                "kafka:a,kafka:b-${header.x} | c | kafka:a + kafka:b-c",
                "log:a,http://b/${header.x} | c,log:d | log:a + http://b/c,log:d",
                "log:a,${header.x} | log:b,log:c | log:a + log:b + log:c",
                "http://b?a=${header.x},log:c | 1,2 | http://b?a=1%2C2 + log:c",
            })
    void the_addresses_are_those_of_the_route(String text, String values, String addresses) {
        assertThat(sent(text, values, ",")).isEqualTo(List.of(addresses.split(" \\+ ")));
    }

    @Test
    void an_option_of_a_queue_may_have_a_comma() {
        assertThat(sent("amqp:orders-${header.x}?clientId=${header.y}", "a~a,b", ""))
                .isEqualTo("amqp:orders-a?clientId=a,b");
    }

    @Test
    void the_name_of_a_topic_has_at_most_249_characters() {
        assertThatCode(() -> sent("kafka:a${header.x}", "b".repeat(248), "")).doesNotThrowAnyException();
        assertThatThrownBy(() -> sent("kafka:a${header.x}", "b".repeat(249), ""))
                .hasMessageContaining("topic");
    }

    @Test
    void a_text_has_a_value_if_a_function_ends() {
        for (String text : new String[] {"", "kafka:orders", "http://a/${b"}) {
            assertThat(FilledText.sample(text)).as(text).isEmpty();
        }
        assertThat(FilledText.sample("a$simple{b.${c}}d${e}")).contains("a\uE000d\uE000");
    }

    /** Nobody can write a mark in a value to move the end of another one. */
    @Test
    void a_value_with_a_mark_is_refused() {
        for (String computed : new String[] {"a\uE000b\uE001c\uE000d\uE001", "a\uE000b", "a\uE000b\uE001\uE001", "a"}) {
            assertThatThrownBy(() -> FilledText.of(List.of("\uE000", "\uE001"), computed))
                    .as(computed)
                    .isInstanceOf(FieldException.class)
                    .hasMessageContaining("U+E000");
        }
    }

    @Test
    void a_value_of_a_query_adds_no_parameter() {
        assertThatThrownBy(() -> AddressTemplate.requireQuery(filled("id=${header.x}&tenant=7", "1&admin=1")))
                .hasMessageContaining("adds &");
        assertThatThrownBy(() -> AddressTemplate.requireQuery(filled("flag-${header.x}&tenant=7", "1&admin=1")))
                .hasMessageContaining("adds &");
        assertThatCode(() -> AddressTemplate.requireQuery(filled("id=${header.x}&tenant=7", "a/../b?c#,%0Ad%26")))
                .doesNotThrowAnyException();
        assertThatCode(() -> AddressTemplate.requireQuery(filled("tenant=7&${header.x}", "a=b&c=d")))
                .as("a value that is a whole parameter may be several")
                .doesNotThrowAnyException();
    }

    /** Camel would look for the end of each RAW( in all that follows. */
    @Test
    void an_address_is_not_endless() {
        assertThatThrownBy(() -> sent("http://shop?a=${header.x}", "RAW(".repeat(30_000), ","))
                .hasMessageContaining("longer than 100000 characters");
    }

    private static Object sent(String text, String values, String delimiter) {
        return new AddressTemplate(delimiter, Set.of("httpMethod", "proxyHost"), HttpAddress::whole)
                .sent(filled(text, values));
    }

    /** @param values separated by a tilde */
    static FilledText filled(String text, String values) {
        String marked = FilledText.marked(text).orElseThrow();
        List<String> each = new ArrayList<>(List.of((values == null ? "" : values).split("~", -1)));
        String computed = Pattern.compile("\uE000.*?([\uE001\uE002])")
                .matcher(marked)
                .replaceAll(mark -> Matcher.quoteReplacement("\uE000" + each.remove(0) + mark.group(1)));
        return FilledText.of(FilledText.marks(marked), computed);
    }
}
