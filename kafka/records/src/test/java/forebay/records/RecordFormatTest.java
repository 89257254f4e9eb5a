package forebay.records;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
    @Test
    void valueFollowsFromSeedAndSequenceAlone() {
        assertArrayEquals(RecordFormat.encode(7, 42, 1024), RecordFormat.encode(7, 42, 1024));
        assertFalse(Arrays.equals(RecordFormat.encode(7, 42, 1024), RecordFormat.encode(8, 42, 1024)));
        assertFalse(Arrays.equals(RecordFormat.encode(7, 42, 1024), RecordFormat.encode(7, 43, 1024)));
    }

    @Test
    void everySizeFromTheSmallestIsFilledToTheByte() {
        for (int size = RecordFormat.OVERHEAD_BYTES; size < 64; size++) {
            byte[] value = RecordFormat.encode(1, 2, size);
            assertEquals(size, value.length);
            assertEquals(new RecordFormat.Header(1, 2), RecordFormat.decode(value));
        }
        assertThrows(IllegalArgumentException.class, () -> RecordFormat.encode(1, 2, RecordFormat.OVERHEAD_BYTES - 1));
    }

    @Test
    void anySingleChangedByteIsNoticed() {
        byte[] value = RecordFormat.encode(1, 2, 200);
        for (int i = 0; i < value.length; i++) {
            byte[] changed = value.clone();
            changed[i] ^= 1;
            assertNull(RecordFormat.decode(changed), "byte " + i);
        }
    }

    @Test
    void whatIsNoRecordOfOursIsRefused() {
        assertNull(RecordFormat.decode(null));
        assertNull(RecordFormat.decode(new byte[0]));
        assertNull(RecordFormat.decode(new byte[1024]));
    }
}
