package forebay.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class ContentTest {
    private static final Content CONTENT = new Content(7, 200_003);

    @Test
    void anyRangeHasTheBytesOfTheWhole() throws IOException {
        byte[] all = CONTENT.bytes();
        for (int offset : new int[] {0, 1, 7, 8, 65_535, 199_990}) {
            for (int count : new int[] {0, 1, 9, 13}) {
                byte[] range = CONTENT.stream(offset, count).readAllBytes();
                assertArrayEquals(Arrays.copyOfRange(all, offset, offset + count), range);
            }
        }
        assertArrayEquals(all, CONTENT.stream().readAllBytes());
    }

    @Test
    void contentsOfDifferentSeedsDiffer() {
        assertNotEquals(new Content(1, 8).bytes()[0], new Content(2, 8).bytes()[0]);
        assertEquals(-1, Arrays.mismatch(new Content(3, 100).bytes(), new Content(3, 100).bytes()));
    }

    @Test
    void theFirstDifferenceIsNamed() throws IOException {
        byte[] read = CONTENT.bytes();
        assertNull(CONTENT.difference(new ByteArrayInputStream(read), 0, read.length));
        read[150_000] ^= 1;
        assertEquals("the byte at 150,000 is wrong", CONTENT.difference(new ByteArrayInputStream(read), 0, read.length));
        ByteArrayInputStream range = new ByteArrayInputStream(read, 149_000, 2000);
        assertEquals("the byte at 150,000 is wrong", CONTENT.difference(range, 149_000, 2000));
    }

    @Test
    void contentThatIsTooShortOrTooLongIsNoticed() throws IOException {
        byte[] read = CONTENT.bytes();
        assertEquals("it ends after 200,002 of 200,003 bytes",
                CONTENT.difference(new ByteArrayInputStream(read, 0, read.length - 1), 0, read.length));
        assertEquals("there are more than the 65,536 bytes expected",
                CONTENT.difference(new ByteArrayInputStream(read), 0, 65_536));
        assertNull(CONTENT.difference(new ByteArrayInputStream(read, 0, 65_536), 0, 65_536));
        assertNull(new Content(1, 0).difference(new ByteArrayInputStream(new byte[0]), 0, 0));
    }
}
