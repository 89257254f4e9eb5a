package forebay.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CasesTest {
    @Test
    void aCaseIsCheckedManyTimesAndFailsOnce() {
        Cases cases = new Cases();
        cases.check("list", Cases.Kind.ANSWER, "list is answered", null);
        cases.check("list", Cases.Kind.ANSWER, "list is answered", "503");
        cases.check("list", Cases.Kind.ANSWER, "list is answered", null);
        Map<String, Object> only = cases.summary().get(0);
        assertEquals("list: list is answered", only.get("title"));
        assertEquals("answer", only.get("kind"));
        assertEquals(3L, only.get("checked"));
        assertEquals(1L, only.get("failed"));
        assertEquals(List.of("503"), only.get("details"));
        assertFalse(cases.passed());
    }

    @Test
    void aRunThatCheckedNothingDoesNotPass() {
        assertFalse(new Cases().passed());
    }

    @Test
    void valuesThatDifferAreNamed() {
        Cases cases = new Cases();
        cases.equal("list", "there are two", 2, 2);
        assertTrue(cases.passed());
        cases.equal("list", "there are three", 3, null);
        assertEquals(List.of("null instead of 3"), cases.summary().get(1).get("details"));
    }
}
