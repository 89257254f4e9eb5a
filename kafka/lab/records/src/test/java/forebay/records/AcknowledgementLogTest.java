package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AcknowledgementLogTest {
    @TempDir
    Path directory;

    private Path write(long... sequences) throws IOException {
        Path file = directory.resolve("acknowledged");
        try (var log = new AcknowledgementLog.Writer(file, new AcknowledgementLog.Plan(9, 10, 100))) {
            for (long sequence : sequences) {
                log.add(sequence, 3, 1000 + sequence);
            }
        }
        return file;
    }

    @Test
    void whatWasAcknowledgedIsReadBack() throws IOException {
        var contents = AcknowledgementLog.read(write(4, 0, 9));
        assertEquals(new AcknowledgementLog.Plan(9, 10, 100), contents.plan());
        assertEquals(3, contents.acknowledged());
        assertTrue(contents.isAcknowledged(9));
        assertFalse(contents.isAcknowledged(1));
        assertEquals(3, contents.partition(4));
        assertEquals(1004, contents.offset(4));
    }

    @Test
    void tornLastEntryOfAKilledProducerIsDropped() throws IOException {
        Path file = write(1, 2);
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 5));
        var contents = AcknowledgementLog.read(file);
        assertEquals(1, contents.acknowledged());
        assertFalse(contents.isAcknowledged(2));
    }

    @Test
    void onlyTheFirstAcknowledgementsAreReadIfNoMoreAreWanted() throws IOException {
        var contents = AcknowledgementLog.read(write(4, 0, 9), 2);
        assertEquals(2, contents.acknowledged());
        assertTrue(contents.isAcknowledged(0));
        assertFalse(contents.isAcknowledged(9));
    }

    @Test
    void damageIsSaidPlainly() throws IOException {
        Path outOfRange = write(10);
        assertTrue(assertThrows(IOException.class, () -> AcknowledgementLog.read(outOfRange)).getMessage()
                .contains("damaged"));
        Path twice = write(5, 5);
        assertTrue(assertThrows(IOException.class, () -> AcknowledgementLog.read(twice)).getMessage().contains("twice"));
        Path other = Files.write(directory.resolve("other"), new byte[8]);
        assertThrows(IOException.class, () -> AcknowledgementLog.read(other));
        Path empty = Files.write(directory.resolve("empty"), new byte[0]);
        assertThrows(IOException.class, () -> AcknowledgementLog.read(empty));
    }
}
