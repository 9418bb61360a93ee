package dev.caravan.base.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoredContentTest {
    @ParameterizedTest
    @CsvSource({"64, 1", "256, 1", "512, 2", "1024, 4", "4096, 16", "65536, 16"})
    void aSmallHeapShowsLessOfAContent(long heap, long most) {
        assertEquals(most << 20, StoredContent.mostBytes(heap << 20));
    }
}
