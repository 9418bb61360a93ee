package dev.caravan;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;

/** Dependencies point one way, and packages are named after what they are about. */
@AnalyzeClasses(packages = "dev.caravan", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String LABORATORY = "dev.caravan.lab..";
    private static final String KIT = "dev.caravan.test..";
    private static final String HISTORIES = "dev.caravan.lab.history..";
    private static final Set<String> ASKS_THE_MACHINE =
            Set.of("java.lang.System.nanoTime()", "java.lang.System.currentTimeMillis()", "java.time.Instant.now()");

    @ArchTest
    static final ArchRule what_decides_about_progress_and_order_does_no_io = noClasses()
            .that()
            .resideInAnyPackage("dev.caravan.lane..", "dev.caravan.progress..", "dev.caravan.delivery..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.apache.camel..",
                    "org.springframework..",
                    "java.sql..",
                    "javax.sql..",
                    "org.postgresql..",
                    "java.net..",
                    "java.nio..");

    @ArchTest
    static final ArchRule lane_knows_only_progress_delivery_and_rate = noClasses()
            .that()
            .resideInAPackage("dev.caravan.lane..")
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan("lane", "progress", "delivery", "rate", "clock"));

    @ArchTest
    static final ArchRule rate_knows_only_itself = noClasses()
            .that()
            .resideInAPackage("dev.caravan.rate..")
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan("rate", "clock"));

    @ArchTest
    static final ArchRule progress_knows_only_itself = noClasses()
            .that()
            .resideInAPackage("dev.caravan.progress..")
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan("progress"));

    @ArchTest
    static final ArchRule delivery_knows_only_itself = noClasses()
            .that()
            .resideInAPackage("dev.caravan.delivery..")
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan("delivery"));

    @ArchTest
    static final ArchRule the_relay_runs_without_the_command_line = noClasses()
            .that()
            .resideOutsideOfPackages("dev.caravan.cli..", LABORATORY)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.caravan.cli..");

    @ArchTest
    static final ArchRule the_relay_knows_neither_the_laboratory_nor_its_libraries = noClasses()
            .that()
            .resideOutsideOfPackage(LABORATORY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    LABORATORY,
                    "kafka..",
                    "org.apache.kafka.metadata..",
                    "org.apache.kafka.server..",
                    "com.icegreen..",
                    "org.knowm..");

    @ArchTest
    static final ArchRule the_relay_starts_no_postgres = noClasses()
            .that()
            .resideOutsideOfPackages(LABORATORY, KIT)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.zonky..");

    @ArchTest
    static final ArchRule relay_and_laboratory_know_neither_the_kit_for_tests_nor_junit = noClasses()
            .that()
            .resideOutsideOfPackage(KIT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(KIT, "org.junit..", "org.opentest4j..");

    @ArchTest
    static final ArchRule the_kit_for_tests_knows_of_the_relay_how_it_runs_routes = noClasses()
            .that()
            .resideInAPackage(KIT)
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan(
                    "test",
                    "dryrun",
                    "destination",
                    "delivery",
                    "lane",
                    "outbox",
                    "json",
                    "settings",
                    "schema",
                    "clock",
                    "headers"));

    @ArchTest
    static final ArchRule the_laboratory_knows_of_the_relay_only_how_to_start_it_and_what_its_tables_hold = noClasses()
            .that()
            .resideInAPackage(LABORATORY)
            .and()
            .resideOutsideOfPackage(HISTORIES)
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan(
                    "cli",
                    "relay",
                    "settings",
                    "schema",
                    "database",
                    "partition",
                    "capture",
                    "subscription",
                    "text",
                    "clock",
                    "lane",
                    "progress",
                    "lab.demo",
                    "lab.bench",
                    "lab.torture",
                    "lab.history",
                    "lab.image",
                    "lab.servers"));

    /** They drive the loop of a relay and the commands of people, statement by statement. */
    @ArchTest
    static final ArchRule histories_know_no_camel_route_and_no_command_line = noClasses()
            .that()
            .resideInAPackage(HISTORIES)
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan(
                    "clock",
                    "progress",
                    "delivery",
                    "lane",
                    "store",
                    "loop",
                    "audit",
                    "selection",
                    "subscription",
                    "deadletter",
                    "replay",
                    "retry",
                    "partition",
                    "database",
                    "schema",
                    "settings",
                    "lab.history",
                    "lab.servers"));

    @ArchTest
    static final ArchRule the_servers_know_nothing_of_those_who_use_them = noClasses()
            .that()
            .resideInAPackage("dev.caravan.lab.servers..")
            .should()
            .dependOnClassesThat(
                    new OtherPackagesOfCaravan("relay", "settings", "schema", "database", "partition", "lab.servers"));

    @ArchTest
    static final ArchRule demo_bench_torture_and_image_know_only_the_servers = slices().matching(
                    "dev.caravan.lab.(demo|bench|torture|image)..")
            .should()
            .notDependOnEachOther();

    @ArchTest
    static final ArchRule opentelemetry_is_known_to_tracing_alone = noClasses()
            .that()
            .resideOutsideOfPackage("dev.caravan.tracing..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.opentelemetry..");

    /** Its libraries are not on the class path of a relay. */
    @ArchTest
    static final ArchRule the_resolver_of_maven_is_known_to_one_class = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("dev.caravan.component.MavenRepository")
            .and()
            .haveNameNotMatching("dev\\.caravan\\.component\\.MavenRepository\\$.*")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.eclipse.aether..", "org.apache.maven..");

    /** A test can set no other clock; commands and answers to people, which say how long ago something was, need none. */
    @ArchTest
    static final ArchRule what_runs_in_a_relay_asks_the_clock_for_the_time = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "dev.caravan.clock..", "dev.caravan.cli..", "dev.caravan.api..", "dev.caravan.text..", LABORATORY)
            .should()
            .accessTargetWhere(describe(
                    "ask the machine for the time",
                    access -> ASKS_THE_MACHINE.contains(access.getTarget().getFullName())));

    @ArchTest
    static final ArchRule packages_are_named_after_the_domain =
            noClasses().should().resideInAnyPackage("..util..", "..common..", "..service..", "..impl..", "..model..");

    @ArchTest
    static final ArchRule packages_have_no_cycles =
            slices().matching("dev.caravan.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule packages_of_the_laboratory_have_no_cycles =
            slices().matching("dev.caravan.lab.(**)").should().beFreeOfCycles();

    /** Not in {@code delivery}: a delivery knows its queue and the queue its deliveries. */
    @ArchTest
    static final ArchRule classes_of_the_loop_have_no_cycles = slices().assignedFrom(
                    new ClassesOfPackages("progress", "lane", "store", "loop"))
            .should()
            .beFreeOfCycles();
}
