package dev.caravan.email;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HtmlMailTest {
    @Test
    void what_customers_typed_cannot_become_markup() {
        String page = HtmlMail.page("A & B", "<script>alert('\"')</script>");

        assertThat(page)
                .contains("<title>A &amp; B</title>")
                .contains("<p>&lt;script&gt;alert(&#39;&quot;&#39;)&lt;/script&gt;</p>")
                .doesNotContain("<script>");
    }
}
