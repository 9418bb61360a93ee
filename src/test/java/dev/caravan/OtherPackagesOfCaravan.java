package dev.caravan;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.stream.Stream;

/** The classes of this project outside some of its packages and their subpackages. */
final class OtherPackagesOfCaravan extends DescribedPredicate<JavaClass> {
    private final List<String> known;

    OtherPackagesOfCaravan(String... known) {
        super("are of other packages than " + String.join(", ", known));
        this.known = Stream.of(known).map("dev.caravan."::concat).toList();
    }

    @Override
    public boolean test(JavaClass other) {
        return other.getPackageName().startsWith("dev.caravan")
                && known.stream().noneMatch(folder -> (other.getPackageName() + ".").startsWith(folder + "."));
    }
}
