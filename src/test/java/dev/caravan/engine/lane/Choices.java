package dev.caravan.engine.lane;

import java.util.Iterator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomDistribution;

/** Decides what happens next in a simulation. Consists of plain numbers, so that a failing run can be shortened. */
public final class Choices {
    private final Iterator<Integer> numbers;

    public Choices(List<Integer> numbers) {
        this.numbers = numbers.iterator();
    }

    /** Lists of numbers of a length. */
    public static Arbitrary<List<Integer>> lists(int shortest, int longest) {
        return Arbitraries.integers()
                .between(0, 27_719)
                .withDistribution(RandomDistribution.uniform())
                .withoutEdgeCases()
                .list()
                .ofMinSize(shortest)
                .ofMaxSize(longest)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    public boolean hasMore() {
        return numbers.hasNext();
    }

    /** A number from 0 to below the bound; 0 when all are used up. */
    public int below(int bound) {
        return numbers.hasNext() ? numbers.next() % bound : 0;
    }
}
