package dev.caravan;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Dependencies point one way, and packages are named after what they are about. */
@AnalyzeClasses(packages = "dev.caravan", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule what_decides_about_progress_and_order_does_no_io = noClasses()
            .that()
            .resideInAnyPackage("dev.caravan.lane..", "dev.caravan.delivery..")
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
    static final ArchRule lane_knows_only_delivery = noClasses()
            .that()
            .resideInAPackage("dev.caravan.lane..")
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan("lane", "delivery"));

    @ArchTest
    static final ArchRule delivery_knows_only_itself = noClasses()
            .that()
            .resideInAPackage("dev.caravan.delivery..")
            .should()
            .dependOnClassesThat(new OtherPackagesOfCaravan("delivery"));

    @ArchTest
    static final ArchRule the_relay_runs_without_the_demo_and_the_command_line = noClasses()
            .that()
            .resideInAnyPackage(
                    "dev.caravan.component..",
                    "dev.caravan.lane..",
                    "dev.caravan.delivery..",
                    "dev.caravan.relay..",
                    "dev.caravan.schema..",
                    "dev.caravan.settings..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.caravan.demo..", "dev.caravan.bench..", "dev.caravan.torture..", "dev.caravan.cli..");

    @ArchTest
    static final ArchRule opentelemetry_is_known_to_tracing_alone = noClasses()
            .that()
            .resideOutsideOfPackage("dev.caravan.tracing..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.opentelemetry..");

    @ArchTest
    static final ArchRule packages_are_named_after_the_domain =
            noClasses().should().resideInAnyPackage("..util..", "..common..", "..service..", "..impl..", "..model..");

    @ArchTest
    static final ArchRule packages_have_no_cycles =
            slices().matching("dev.caravan.(*)..").should().beFreeOfCycles();
}
