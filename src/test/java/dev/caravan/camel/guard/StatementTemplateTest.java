package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatementTemplateTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "insert into orders_${header.x} values (1) | a; drop table b; --",
                "insert into orders_${header.x} values (1) | a values (2)--",
                "insert into a values ('${header.x}') | '); drop table b; --",
                "insert into a values ('${header.x}') | b\\",
                "insert into a values ('${header.x}', '${header.y}') | \\~, b)--",
                "insert into \"a_${header.x}\" values (1) | b\" values (2)--",
                "insert into a values (1, ${header.x}) | password",
                "delete from a where id = ${header.x} | id",
                "delete from a where id = ${header.x} | 1 or true",
                "delete from a where id < ${header.x} |",
                "${header.x} where a = ${header.y} | delete from a~or true",
                "update a set b = b -${header.x} | -1",
                "update a set b = b - ${header.x} | b",
                "update a set b = b-${header.x} | null",
                "delete from a where id between ${header.x} and 9 | id",
                "select b from a limit ${header.x} | all",
                "delete from a where ${header.x} = id | id",
                "delete from a where id in (select ${header.x}) | id",
                "insert into orders_${header.x} values (1) |",
                "insert into a values ('${header.x}', :#b) | Apt #4",
                "insert into a values ('a:${header.x}') | ?b",
            })
    void a_value_that_adds_sql_or_is_empty_is_refused(String text, String values) {
        assertThatThrownBy(() -> require(text, values, "#"))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("adds SQL")
                .hasMessageNotContaining("drop");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "insert into orders_${header.x} values (:#id) | acme_1",
                "insert into ${header.s}.a values (1) | tenant7",
                "insert into \"${header.s}\" values ('it''s', '${header.x}') | a-b c~R&D; -- \"b\"",
                "update a set b = ${header.x}, c = ${header.y} | -1.50~2e-3",
                "update a set b = b * ${header.x} | 7",
                "update a set b = b - ${header.x} | 7",
                "select b from a order by ${header.x} limit ${header.y} | b~9",
                "insert into ${header.x}_log select b from ${header.y} | acme~acme_orders",
                "insert into a values ('${header.x}') |",
                "insert into a values ('${header.x}') | a?b: 100%",
                "insert into a values ('${header.x}') | %27); drop table b; --",
                "insert into a${header.eu == true ? '_eu' : ''} values (1) |",
                "${header.x} where a = ${header.y} | delete from a~7",
            })
    void another_value_is_a_part_of_the_statement(String text, String values) {
        assertThatCode(() -> require(text, values, "#")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {"a@b | adds SQL", "a:?b | adds SQL", "a' | adds SQL"})
    void an_option_names_the_placeholder(String value, String reason) {
        assertThatThrownBy(() -> sent("sql://insert into a values ('${header.x}', :@b)?placeholder=@", value))
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> sent("sql:insert into a%20values ('${header.x}', :@b)?placeholder=RAW(@)", value))
                .hasMessageContaining(reason);
        assertThatCode(() -> sent("sql:insert into a values ('${header.x}', :@b)?placeholder=@", "Apt 4"))
                .doesNotThrowAnyException();
    }

    private static Object sent(String address, String value) {
        return new AddressTemplate("", Set.of("httpMethod", "proxyHost"), HttpAddress::whole)
                .sent(AddressTemplateTest.filled(address, value));
    }

    private static void require(String text, String values, String placeholder) {
        StatementTemplate.require(AddressTemplateTest.filled(text, values), placeholder);
    }
}
