package forebay.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NamesTest {
    @Test
    void keysAreInTheOrderOfTheirBytesAndNotOfTheirCharacters() {
        // In UTF-16, the surrogates of the second sort before the first.
        assertTrue(Names.BY_BYTES.compare("\uFF5E", "\uD83D\uDE00") < 0);
        assertTrue("\uFF5E".compareTo("\uD83D\uDE00") > 0);
        List<String> keys = Names.below("p/", 500);
        assertEquals(500, new HashSet<>(keys).size());
        for (int i = 1; i < keys.size(); i++) {
            assertTrue(Names.BY_BYTES.compare(keys.get(i - 1), keys.get(i)) < 0);
        }
    }

    @Test
    void aDelimiterFoldsWhatIsBelowIt() {
        List<String> keys = List.of("a", "p/a", "p/b-", "p/b/1", "p/b/2", "p/c//", "q");
        assertEquals(new Names.Folded(List.of("p/b/", "p/c/"), List.of("p/a", "p/b-")), Names.fold(keys, "p/", "/"));
        assertEquals(new Names.Folded(List.of("p/"), List.of("a", "q")), Names.fold(keys, "", "/"));
    }

    @Test
    void theFirstDifferenceOfListsIsNamed() {
        assertNull(Names.difference(List.of("a", "b"), List.of("a", "b")));
        assertEquals("number 2 is c instead of b", Names.difference(List.of("a", "b"), List.of("a", "c")));
        assertEquals("1 instead of 2", Names.difference(List.of("a", "b"), List.of("a")));
    }
}
