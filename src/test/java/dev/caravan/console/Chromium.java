package dev.caravan.console;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The browser that all tests of the console share. Without a browser they are skipped; if the environment variable CI is true, they
 * fail, so that nobody assumes that they passed.
 */
final class Chromium {
    private static final List<String> NAMES =
            List.of("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome");

    private Chromium() {}

    static Browser browser() {
        Optional<Path> installed = installed();
        if (installed.isEmpty() && "true".equals(System.getenv("CI"))) {
            throw new AssertionError("There is no Chromium on the PATH: the console cannot be tested.");
        }
        assumeTrue(installed.isPresent(), "no Chromium on the PATH");
        return Started.BROWSER;
    }

    private static Optional<Path> installed() {
        return Stream.of(System.getenv("PATH").split(":"))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static final class Started {
        static final Browser BROWSER = start();

        private static Browser start() {
            Playwright playwright = Playwright.create(
                    new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
            Runtime.getRuntime().addShutdownHook(new Thread(playwright::close, "stop-chromium"));
            PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
            return playwright
                    .chromium()
                    .launch(new BrowserType.LaunchOptions()
                            .setExecutablePath(installed().orElseThrow())
                            .setArgs(List.of("--disable-gpu")) // otherwise a processor draws what a graphics card would
                            .setChromiumSandbox(false)); // the sandbox refuses root, which tests often are
        }
    }
}
