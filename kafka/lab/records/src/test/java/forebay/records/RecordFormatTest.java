package forebay.records;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
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
    void pooledPayloadsAreFewAndHalfZerosAndStillTellTheirRecord() {
        var plan = new AcknowledgementLog.Plan(5, 1000, 3072, Payload.POOL, 0);
        var payloads = new HashSet<String>();
        for (int sequence = 0; sequence < 1000; sequence++) {
            byte[] value = plan.value(sequence);
            assertEquals(new RecordFormat.Header(5, sequence), RecordFormat.decode(value));
            assertArrayEquals(value, plan.value(sequence));
            int zeros = 0;
            for (byte b : value) {
                zeros += b == 0 ? 1 : 0;
            }
            assertTrue(zeros > value.length * 0.45 && zeros < value.length * 0.55, zeros + " zeros in " + value.length);
            byte[] payload = Arrays.copyOfRange(value, 20, value.length - 4);
            assertTrue(payload.length >= 1000 && payload.length <= 3048, payload.length + " bytes");
            payloads.add(Arrays.toString(payload));
        }
        assertEquals(100, payloads.size());
    }

    @Test
    void whatIsNoRecordOfOursIsRefused() {
        assertNull(RecordFormat.decode(null));
        assertNull(RecordFormat.decode(new byte[0]));
        assertNull(RecordFormat.decode(new byte[1024]));
    }
}
