package dev.caravan.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.caravan.base.text.HiddenCharacters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts from outside that are long, or that have characters that hide or reverse text, on all pages of the console. */
class LongTextsIT {
    private static final String LONG = "x\u202e" + "x".repeat(300);
    private static final String KEY = "order/" + "k".repeat(300);
    private static final String REVERSED = "order/77\u202e88\u200b\t9";
    /** As long as one may be. */
    private static final String SUBSCRIPTION = "sms-" + "s".repeat(96);

    /** What is wider than its frame, and which buttons overlap. */
    private static final String MISTAKES = """
        async () => {
          for (let frame = 0; frame < 3; frame++) {
            await new Promise(requestAnimationFrame); // until charts have the new width
          }
          const mistakes = [...document.querySelectorAll('html, main, .panel, .table-frame, dialog')]
              .filter(each => each.scrollWidth > each.clientWidth)
              .map(each => `${each.tagName} ${each.className} ${each.getAttribute('aria-label') ?? ''} is ${each.scrollWidth} px wide in ${each.clientWidth}`);
          const buttons = [...document.querySelectorAll('main button, main a.button, main summary.button, dialog button')]
              .filter(each => each.checkVisibility()).map(each => [each, each.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
          buttons.forEach(([one, a], i) => buttons.slice(i + 1).forEach(([other, b]) => {
            if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) {
              mistakes.push(`${one.outerHTML.slice(0, 80)} overlaps ${other.outerHTML.slice(0, 80)}`);
            }
          }));
          return mistakes;
        }\
        """;

    /** Where a character is not shown: texts, and attributes that people read. */
    private static final String HIDDEN = """
        async () => {
          const { HIDDEN } = await import('/console/js/characters.js');
          const found = [document.title];
          for (const each of document.querySelectorAll('body, body *')) {
            found.push(...[...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data));
            found.push(...['title', 'aria-label', 'placeholder', 'label', 'alt', 'value'].map(name => each.getAttribute(name) ?? '')
                .map(text => text && each.tagName + ' ' + text));
          }
          return found.filter(text => text.search(HIDDEN) >= 0);
        }\
        """;

    private static ConsoleStage stage;
    private static long letter;
    private static long reversed;
    private static long waiting;
    private static long discarded;

    @BeforeAll
    static void begin(@TempDir Path routes) throws Exception {
        Chromium.browser(); // skips before anything is started
        stage = new ConsoleStage(routes, SUBSCRIPTION, "mail");
        letter = stage.dead(SUBSCRIPTION, KEY, "{\"" + LONG + "\": \"" + LONG + "\"}", LONG);
        reversed = stage.dead(SUBSCRIPTION, REVERSED, "{\"note\": \"a\u202eb\"}", "not\u2066found\ufeff");
        stage.jdbc().update("update outbox_dead_letter set answer = null where id = ?", reversed);
        waiting = stage.waiting(SUBSCRIPTION, KEY + "w", 2);
        discarded = stage.dead(SUBSCRIPTION, KEY + "d", "{}", LONG);
        for (String table : List.of("outbox_dead_letter", "outbox_retry")) {
            stage.jdbc()
                    .update(
                            "update " + table
                                    + " set type = 'none.' || ?, answer = ?, attempt_relay = ?, error_class = ?,"
                                    + " error_text = error_text || ?, headers = jsonb_build_object(?, ?) where id <> ?"
                                    + " and attempts > 0",
                            LONG,
                            LONG,
                            LONG,
                            LONG,
                            LONG,
                            LONG,
                            LONG,
                            reversed);
        }
        stage.jdbc().update("update outbox set type = 'none.' || ? where id <> ?", LONG, reversed);
        stage.jdbc()
                .update(
                        "with one as (delete from outbox_dead_letter where id = ? returning *) insert into"
                                + " outbox_discarded select subscription, id, message_id, aggregate_type, aggregate_id,"
                                + " type, headers, payload, payload_bytes, created_at, attempts, first_failed_at,"
                                + " last_failed_at, error_class, error_text, error_stack, step, answer, attempt_relay,"
                                + " attempt_millis, earlier_attempts, edited, error_group, gen_random_uuid(), now(), ?, ?"
                                + " from one",
                        discarded,
                        LONG,
                        LONG);
        stage.jdbc()
                .update(
                        "insert into outbox_audit (who, action, subscription, message, detail, reason)"
                                + " values (?, 'retry', ?, ?, jsonb_build_object(?, ?), ?)",
                        LONG,
                        SUBSCRIPTION,
                        letter,
                        LONG,
                        LONG,
                        LONG);
        stage.jdbc()
                .update(
                        "insert into outbox_job (action, subscription, details, state, total, first, error, who, via)"
                                + " select 'retry', ?, '{\"of\": \"dead letters\"}', state, 10, first, ?, ?, 'token' from (values ('paused', 5),"
                                + " ('stopped', 5), ('failed', null)) as job (state, first)",
                        SUBSCRIPTION,
                        LONG,
                        LONG);
        stage.jdbc()
                .update(
                        "insert into outbox_relay (subscription, relay, lanes, until) values ('mail', ?, 1, now())",
                        LONG);
    }

    @AfterAll
    static void end() throws Exception {
        if (stage != null) {
            stage.close();
        }
    }

    private static List<String> pages() {
        return List.of(
                "/",
                "/subscriptions/" + SUBSCRIPTION,
                "/dead-letters",
                "/dead-letters/" + SUBSCRIPTION + "/" + letter,
                "/dead-letters/discarded",
                "/retries",
                "/retries?blocked=true",
                "/retries/" + SUBSCRIPTION + "/" + waiting,
                "/find?text=" + KEY,
                "/messages",
                "/messages/" + letter,
                "/why/" + KEY.replace("/", "%2F"),
                "/why/" + (waiting + 1),
                "/relays",
                "/routes",
                "/partitions",
                "/audit",
                "/jobs");
    }

    @Test
    void no_page_is_wider_than_the_screen_and_no_button_covers_another_one() {
        List<String> mistakes = new ArrayList<>();
        try (Visit visit = stage.visit()) {
            for (String page : pages()) {
                visit.open(page);
                visit.expect("main .failure").hasCount(0);
                for (int width : new int[] {1280, 768, 390}) {
                    visit.page.setViewportSize(width, 900);
                    for (Object mistake : (List<?>) visit.page.evaluate(MISTAKES)) {
                        mistakes.add(page + " at " + width + " px: " + mistake);
                    }
                }
                visit.page.setViewportSize(1280, 900);
            }
            visit.open("/dead-letters?key=" + KEY).click("Retry all matching …");
            visit.expect("dialog button.primary").hasCount(1);
            visit.page.setViewportSize(390, 900);
            ((List<?>) visit.page.evaluate(MISTAKES)).forEach(mistake -> mistakes.add("dialog: " + mistake));
            visit.page.setViewportSize(1280, 900);
        }
        assertThat(mistakes).isEmpty();
    }

    @Test
    void no_text_title_or_label_of_any_page_has_a_character_that_is_not_shown() {
        List<String> found = new ArrayList<>();
        try (Visit visit = stage.visit()) {
            for (String page : pages()) {
                visit.open(page);
                ((List<?>) visit.page.evaluate(HIDDEN)).forEach(text -> found.add(page + " has: " + text));
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void a_long_key_is_cut_has_its_whole_text_as_title_and_is_copied_as_a_whole() {
        try (Visit visit = stage.visit().open("/dead-letters")) {
            Locator key = visit.page.locator("table[aria-label='Dead letters'] a.name[title='" + KEY + "']");
            assertThat(key.boundingBox().width).isBetween(50.0, 250.0);
            key.locator("..").locator("button").click();
            visit.expect("button[title=Copied]").hasCount(1);
            assertThat(clipboard(visit)).isEqualTo(KEY);
        }
    }

    @Test
    void characters_that_reverse_or_hide_text_are_visible_and_are_copied_as_they_are() {
        try (Visit visit = stage.visit().open("/dead-letters")) {
            Locator row = visit.page.locator("table[aria-label='Dead letters'] tr:has-text('order/77')");
            assertThat(row.innerText())
                    .contains("order/77␣U+202E88␣U+200B␣U+00099", "not␣U+2066found␣U+FEFF")
                    .doesNotContain("\u202e", "\u200b", "\u2066", "\ufeff");
            assertThat(row.locator("a.name").first().getAttribute("title"))
                    .isEqualTo("order/77␣U+202E88␣U+200B␣U+00099");
            row.locator(".cut:has(a.name) button").first().click();
            visit.expect("button[title=Copied]").hasCount(1);
            assertThat(clipboard(visit)).isEqualTo(REVERSED);
            row.locator("a.name >> nth=0").evaluate("each => getSelection().selectAllChildren(each)");
            visit.page.keyboard().press("Control+c");
            assertThat(clipboard(visit)).isEqualTo(REVERSED);
            assertThat(row.innerText()).contains("␣U+202E").doesNotContain("\u202e");

            visit.open("/dead-letters/" + SUBSCRIPTION + "/" + reversed).click("Show");
            visit.expect(".payload").containsText("\"a␣U+202Eb\"");
            visit.open("/why/" + REVERSED.replace("/", "%2F").replace("\t", "%09"));
            visit.expect("h1").hasText("Why is order/77␣U+202E88␣U+200B 9 not delivered yet?");
            assertThat(visit.page.title()).contains("␣U+202E").doesNotContain("\u202e");
        }
    }

    private static String clipboard(Visit visit) {
        visit.page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
        return (String) visit.page.evaluate("navigator.clipboard.readText()");
    }

    @Test
    void the_console_and_the_command_line_show_the_same_characters() {
        try (Visit visit = stage.visit().open("/jobs")) {
            String changed = (String) visit.page.evaluate("""
                async () => {
                  const { HIDDEN_OR_BREAK, shown } = await import('/console/js/characters.js');
                  const changed = [];
                  for (let each = 0; each <= 0x10ffff; each++) {
                    const text = String.fromCodePoint(each);
                    if (shown(text) !== text) changed.push(shown(text));
                    if (shown(text, HIDDEN_OR_BREAK) !== shown(text)) changed.push(shown(text, HIDDEN_OR_BREAK) + ' in names');
                  }
                  return changed.join('\\n');
                }\
                """);
            assertThat(changed).isEqualTo(changedByTheCommandLine());
        }
    }

    private static String changedByTheCommandLine() {
        List<String> changed = new ArrayList<>();
        for (int each = 0; each <= Character.MAX_CODE_POINT; each++) {
            String text = Character.toString(each);
            String shown = HiddenCharacters.shown(text);
            String onLine = HiddenCharacters.shownOnLine(text);
            if (!shown.equals(text)) {
                changed.add(shown);
            }
            if (!onLine.equals(shown)) {
                changed.add(onLine + " in names");
            }
        }
        return String.join("\n", changed);
    }
}
