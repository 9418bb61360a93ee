package dev.caravan.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.TimeoutError;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A tab of a browser on the console. Any error that the browser reports about scripts, styles and addresses fails the test. */
final class Visit implements AutoCloseable {
    private static final String AXE = axe();

    private final String address;
    private final Runnable end;
    private final List<String> complaints = new ArrayList<>();
    private final List<String> expected = new ArrayList<>();
    final Page page;

    private static String axe() {
        try (InputStream script = Visit.class.getResourceAsStream("/axe.min.js")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static BrowserContext context(String token, Browser.NewContextOptions options) {
        BrowserContext context = Chromium.browser().newContext(options);
        context.setDefaultTimeout(60_000);
        if (!token.isEmpty()) {
            context.addInitScript(
                    "if (!sessionStorage.getItem('caravan.token')) sessionStorage.setItem('caravan.token', '" + token
                            + "')");
        }
        return context;
    }

    /** @param end what is to be done after the tab is closed */
    Visit(String address, BrowserContext context, Runnable end) {
        this.address = address;
        this.end = end;
        page = context.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") || message.type().equals("warning")) {
                complaints.add(message.text() + " at " + message.location());
            }
        });
        page.onPageError(complaints::add);
        page.onDialog(dialog -> {
            complaints.add("a dialog of the browser: " + dialog.message());
            dialog.dismiss();
        });
    }

    /** Allows errors of the browser about answers that a test expects, such as a refused token. */
    Visit expecting(String part) {
        expected.add(part);
        return this;
    }

    /** Opens a page of the console and waits for its heading. */
    Visit open(String path) {
        page.navigate(address + "/console" + path);
        return settled();
    }

    /** Waits until all requests of the page are answered. */
    Visit settled() {
        page.locator("h1").first().waitFor();
        page.locator("text=/^(Connecting|Loading) …/")
                .first()
                .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.HIDDEN));
        return this;
    }

    void click(String button) {
        page.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName(button).setExact(true))
                .click();
    }

    void follow(String link) {
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(link).setExact(true))
                .first()
                .click();
    }

    /** Waits until the page shows a text somewhere. */
    void sees(String text) {
        try {
            page.getByText(text).first().waitFor();
        } catch (TimeoutError e) {
            throw new AssertionError("The page does not show \"" + text + "\", but: " + shown(), e);
        }
    }

    /** The open dialog, or else the page. */
    private String shown() {
        Locator dialog = page.locator("dialog[open]");
        return (dialog.count() > 0 ? dialog : page.locator("main")).first().innerText();
    }

    /** Confirms a change in its dialog with a reason and a name. The label of the button must begin with this verb. */
    void agree(String verb, String reason) {
        page.locator("dialog input[name=reason]").fill(reason);
        page.locator("dialog input[name=by]").fill("anna");
        Locator yes = page.locator("dialog button.primary");
        PlaywrightAssertions.assertThat(yes).hasText(Pattern.compile("^\\s*" + verb));
        yes.click();
    }

    /** An expectation about elements of the page, which waits until it holds. */
    LocatorAssertions expect(String selector) {
        return PlaywrightAssertions.assertThat(page.locator(selector));
    }

    boolean scrollsSideways() {
        return (Boolean) page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
    }

    /** What axe finds that people with disabilities could not use, one line a rule. */
    List<?> barriers() {
        page.evaluate(AXE);
        return (List<?>)
                page.evaluate(
                        "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
                                + ".map(rule => rule.id + ': ' + rule.nodes.map(node => node.target + ' ' + node.failureSummary).join('; '))");
    }

    /** The bytes of everything that this page loaded, as they were sent. */
    long bytes() {
        return ((Number) page.evaluate(
                        "performance.getEntries().reduce((sum, each) => sum + (each.encodedBodySize ?? 0), 0)"))
                .longValue();
    }

    void picture(Path file) {
        page.screenshot(new Page.ScreenshotOptions().setPath(file));
    }

    List<String> complaints() {
        return complaints.stream()
                .filter(complaint -> expected.stream().noneMatch(complaint::contains))
                .toList();
    }

    @Override
    public void close() {
        page.close();
        end.run();
        assertThat(complaints()).as("complaints of the browser").isEmpty();
    }
}
