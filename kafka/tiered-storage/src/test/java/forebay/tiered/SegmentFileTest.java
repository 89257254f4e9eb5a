package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments whose files are renamed, replaced or deleted while they are copied. */
class SegmentFileTest {
    private static final byte[] CONTENT = "content".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private Path write(String name, String token) throws IOException {
        Path file = Files.write(folder.resolve(name), CONTENT);
        try {
            Files.getFileAttributeView(file, UserDefinedFileAttributeView.class)
                    .write("forebay.source", ByteBuffer.wrap(token.getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException | UnsupportedOperationException | NullPointerException absent) {
            Assumptions.abort("the file system has no extended attributes: " + absent);
        }
        return file;
    }

    private static void readable(SegmentFile file) throws IOException {
        byte[] bytes = new byte[CONTENT.length];
        assertEquals(bytes.length, file.read(bytes, 0, bytes.length, 0));
        assertArrayEquals(CONTENT, bytes);
    }

    @Test
    void the_name_of_a_file_is_that_of_the_open_file() throws Exception {
        try (SegmentFile file = new SegmentFile(write("segment.log", "ONE"))) {
            assertEquals("ONE", file.source().token());
            assertNull(file.source().reason());
        }
    }

    @Test
    void a_file_that_was_replaced_has_no_name_and_can_be_read() throws Exception {
        Path path = write("segment.log", "ONE");
        try (SegmentFile file = new SegmentFile(path)) {
            Files.move(write("other", "TWO"), path, StandardCopyOption.REPLACE_EXISTING);
            assertEquals(NotByReference.OTHER_FILE, file.source().reason());
            readable(file);
        }
    }

    @Test
    void a_file_that_was_renamed_or_deleted_has_no_name_and_can_be_read() throws Exception {
        Path path = write("segment.log", "ONE");
        try (SegmentFile file = new SegmentFile(path)) {
            Path renamed = Files.move(path, folder.resolve("segment.log.deleted"));
            assertEquals(NotByReference.OTHER_FILE, file.source().reason());
            readable(file);
            Files.delete(renamed);
            assertEquals(NotByReference.OTHER_FILE, file.source().reason());
            readable(file);
        }
    }

    @Test
    void a_file_that_becomes_shorter_is_noticed() throws Exception {
        Path path = write("segment.log", "ONE");
        try (SegmentFile file = new SegmentFile(path)) {
            Files.write(path, new byte[0]);
            IOException failure = assertThrows(IOException.class, () -> file.read(new byte[4], 0, 4, 0));
            assertEquals(path + " ends at 0, before position 4", failure.getMessage());
        }
    }

    @Test
    void a_file_that_is_gone_cannot_be_opened() {
        assertThrows(NoSuchFileException.class, () -> new SegmentFile(folder.resolve("none.log")));
    }
}
