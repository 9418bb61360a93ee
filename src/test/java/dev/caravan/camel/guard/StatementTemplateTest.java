package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatementTemplateTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "insert into orders_${header.x} values (1) | insert into orders_a; drop table b; -- values (1)",
                "insert into orders_${header.x} values (1) | insert into orders_a values (2)-- values (1)",
                "insert into a values ('${header.x}') | insert into a values (''); drop table b; --')",
                "insert into a values ('${header.x}') | insert into a values ('%27); drop table b; --')",
                "insert into a values ('${header.x}') | insert into a values ('b\\')",
                "insert into a values ('${header.x}', '${header.y}') | insert into a values ('\\', ', b)--')",
                "insert into \"a_${header.x}\" values (1) | insert into \"a_b\" values (2)--\" values (1)",
                "insert into a values (1, ${header.x}) | insert into a values (1, password)",
                "delete from a where id = ${header.x} | delete from a where id = id",
                "delete from a where id = ${header.x} | delete from a where id = 1 or true",
                "update a set b = b -${header.x} | update a set b = b --1",
                "insert into orders_${header.x} values (1) | insert into orders_ values (1)",
                "delete from a where id < ${header.x} | delete from a where id < ",
                "insert into a values ('${header.x}', :#b) | insert into a values ('Apt #4', :#b)",
                "insert into a values ('a:${header.x}') | insert into a values ('a:?b')",
                "insert into a values ('${header.x}')?placeholder=@ | insert into a values ('a@b')",
            })
    void a_value_that_adds_sql_or_is_empty_is_refused(String text, String statement) {
        assertThatThrownBy(() -> StatementTemplate.ofStep("sql:" + text)
                        .orElseThrow()
                        .requireStep("sql:" + statement + "?batch=true"))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("adds SQL")
                .hasMessageNotContaining("drop");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "insert into orders_${header.x} values (:#id) | insert into orders_acme_1 values (:#id)",
                "insert into ${header.s}.a values (1) | insert into tenant7.a values (1)",
                "insert into \"${header.s}\" values ('it''s', '${header.x}') | insert into \"a-b c\" values ('it''s', 'R&D; -- \"b\"')",
                "update a set b = ${header.x}, c = ${header.y} | update a set b = -1.50, c = 2e-3",
                "update a set b = b * ${header.x} | update a set b = b * 7",
                "insert into a values ('${header.x}') | insert into a values ('')",
                "insert into a values ('${header.x}') | insert into a values ('a?b: 100%')",
                "insert into a${header.eu == true ? '_eu' : ''} values (1) | insert into a values (1)",
            })
    void another_value_is_a_part_of_the_statement(String text, String statement) {
        assertThatCode(() -> StatementTemplate.ofHeader(text).orElseThrow().require(statement))
                .doesNotThrowAnyException();
    }

    @Test
    void a_text_without_a_value_or_that_is_one_is_no_template() {
        assertThat(StatementTemplate.ofStep("sql:select 1")).isEmpty();
        assertThat(StatementTemplate.ofStep("sql:${header.statement}?batch=true"))
                .isEmpty();
        assertThat(StatementTemplate.ofStep("sql:select 1?dataSource=#${header.x}"))
                .isEmpty();
        assertThat(StatementTemplate.ofStep("log:a${header.x}")).isEmpty();
    }
}
