package dev.caravan;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Set;

/** Makes a slice of each top-level class of some packages, with the classes inside it. */
final class ClassesOfPackages implements SliceAssignment {
    private final Set<String> packages;

    ClassesOfPackages(String... packages) {
        this.packages = Set.of(packages);
    }

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass of) {
        String inside = of.getPackageName().replace("dev.caravan.", "");
        return packages.contains(inside)
                ? SliceIdentifier.of(inside, of.getName().replaceAll("\\$.*", ""))
                : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
        return "each class of " + packages;
    }
}
