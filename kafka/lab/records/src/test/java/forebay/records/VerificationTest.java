package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Five records planned; 0 to 3 acknowledged in partition 0 at their own number as offset, 4 never. */
class VerificationTest {
    private static final AcknowledgementLog.Plan PLAN = new AcknowledgementLog.Plan(9, 5, 100);

    @TempDir
    Path directory;

    private Verification verification;

    @BeforeEach
    void acknowledgeFour() throws IOException {
        Path file = directory.resolve("acknowledged");
        try (var log = new AcknowledgementLog.Writer(file, PLAN)) {
            for (int sequence = 0; sequence < 4; sequence++) {
                log.add(sequence, 0, sequence);
            }
        }
        verification = new Verification(AcknowledgementLog.read(file));
    }

    private static byte[] value(int sequence) {
        return RecordFormat.encode(PLAN.seed(), sequence, PLAN.recordBytes());
    }

    private void acceptOnly(int... sequences) {
        for (int sequence : sequences) {
            verification.accept(0, sequence, value(sequence));
        }
    }

    private void finishesWith(String figure, long count) {
        verification.finish();
        assertEquals(count == 0, verification.passed(), verification.summary().toString());
        assertEquals(count, verification.summary().get(figure), verification.summary().toString());
    }

    @Test
    void everyAcknowledgedRecordOncePasses() {
        acceptOnly(0, 1, 2, 3);
        verification.finish();
        assertTrue(verification.passed());
        assertEquals(4L, verification.summary().get("verified"));
    }

    @Test
    void recordThatWasNeverAcknowledgedMayBeThere() {
        acceptOnly(0, 1, 2, 3, 4);
        verification.finish();
        assertTrue(verification.passed());
        assertEquals(1L, verification.summary().get("unacknowledged"));
    }

    @Test
    void oneLostAndAnotherDoubledFailsThoughTheCountIsRight() {
        acceptOnly(0, 1, 2);
        verification.accept(0, 3, value(2));
        verification.finish();
        assertFalse(verification.passed());
        assertEquals(1L, verification.summary().get("missing"));
        assertEquals(1L, verification.summary().get("duplicates"));
    }

    @Test
    void unacknowledgedRecordTwiceFails() {
        acceptOnly(0, 1, 2, 3, 4, 4);
        finishesWith("duplicates", 1);
    }

    @Test
    void changedByteFails() {
        byte[] changed = value(3);
        changed[50] ^= 1;
        acceptOnly(0, 1, 2);
        verification.accept(0, 3, changed);
        finishesWith("corrupt", 1);
    }

    @Test
    void recordOfOurFormButOtherLengthFails() {
        acceptOnly(0, 1, 2);
        verification.accept(0, 3, RecordFormat.encode(PLAN.seed(), 3, 60));
        finishesWith("corrupt", 1);
    }

    @Test
    void onlyWhatWasDeletedOnPurposeMayBeGone() throws IOException {
        var expected = AcknowledgementLog.read(directory.resolve("acknowledged"));
        verification = new Verification(expected, partition -> 2);
        acceptOnly(1, 2, 3);
        verification.finish();
        assertTrue(verification.passed());
        assertEquals(1L, verification.summary().get("deleted"));

        verification = new Verification(expected, partition -> 2);
        acceptOnly(0, 1, 3);
        finishesWith("missing", 1);
    }

    @Test
    void recordAtAnotherPlaceThanAcknowledgedFails() {
        acceptOnly(0, 1, 2);
        verification.accept(1, 3, value(3));
        finishesWith("moved", 1);
    }

    @Test
    void recordOfAnotherRunFails() {
        acceptOnly(0, 1, 2, 3);
        verification.accept(0, 4, RecordFormat.encode(10, 0, 100));
        finishesWith("foreign", 1);
    }
}
