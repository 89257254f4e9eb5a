package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies by reference and by upload, and what decides between them. */
class CopyTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private FakeS3 fake;
    private ForebayRemoteStorageManager plugin;

    @BeforeEach
    void start() throws Exception {
        fake = new FakeS3();
    }

    @AfterEach
    void stop() throws Exception {
        if (plugin != null) {
            plugin.close();
        }
        fake.close();
    }

    /** Gives a file the attribute that a volume of Forebay has, and the token to the server. */
    private void offer(Path file, String token, boolean known) {
        try {
            UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
            view.write("forebay.source", ByteBuffer.wrap(token.getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException | UnsupportedOperationException | NullPointerException absent) {
            Assumptions.abort("the file system has no extended attributes: " + absent);
        }
        fake.tokens.put(known ? token : "another", file);
    }

    private void copy(TestSegment segment) throws Exception {
        segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
        assertArrayEquals(segment.bytes, fake.objects.get(segment.logKey()).bytes());
        assertTrue(fake.objects.containsKey(segment.indexesKey()));
    }

    @Test
    void a_segment_on_the_server_is_copied_without_its_bytes() throws Exception {
        plugin = Plugins.start(fake, folder);
        TestSegment segment = TestSegment.write(folder, 100, 6 * MIB);
        offer(segment.log, "TOKEN_1-a", true);
        copy(segment);
        FakeS3.Request copy = fake.requests("CopyObject").get(0);
        assertEquals("forebay--source/TOKEN_1-a", copy.headers().get("x-amz-copy-source"));
        assertEquals(String.valueOf(segment.bytes.length), copy.headers().get("x-forebay-size"));
        assertEquals("100-" + segment.endOffset, copy.headers().get("x-forebay-records"));
        assertEquals("REPLACE", copy.headers().get("x-amz-metadata-directive"));
        assertTrue(fake.requests.stream().filter(each -> each.key().endsWith(".log")).allMatch(each -> each.bodyBytes() <= 0));
        assertEquals(1, plugin.metrics().copiesByReference.sum());
        assertArrayEquals(segment.bytes, plugin.fetchLogSegment(segment.metadata(), 0).readAllBytes());
    }

    @Test
    void what_cannot_be_copied_by_reference_is_uploaded_and_counted_by_its_cause() throws Exception {
        plugin = Plugins.start(fake, folder);
        TestSegment plain = TestSegment.write(folder, 100, MIB);
        copy(plain);
        assertEquals(1, plugin.metrics().uploads(NotByReference.NO_ATTRIBUTE).sum());
        assertEquals(0, fake.requests("CopyObject").size());

        TestSegment elsewhere = TestSegment.write(folder, 10_000, MIB);
        offer(elsewhere.log, "OTHERPOOL", false);
        copy(elsewhere);
        assertEquals(1, plugin.metrics().uploads(NotByReference.UNKNOWN).sum());

        TestSegment odd = TestSegment.write(folder, 20_000, MIB);
        offer(odd.log, "../../etc/passwd?x", true);
        copy(odd);
        assertEquals(2, plugin.metrics().uploads(NotByReference.NO_ATTRIBUTE).sum());

        TestSegment changing = TestSegment.write(folder, 30_000, MIB);
        offer(changing.log, "CHANGING", true);
        fake.changes.set(1);
        copy(changing);
        assertEquals(1, plugin.metrics().uploads(NotByReference.CHANGED).sum());

        TestSegment refused = TestSegment.write(folder, 40_000, MIB);
        offer(refused.log, "REFUSED", true);
        answerCopies(501, "NotImplemented");
        copy(refused);
        assertEquals(1, plugin.metrics().uploads(NotByReference.NOT_IMPLEMENTED).sum());
        answerCopies(403, "AccessDenied");
        copy(refused);
        assertEquals(1, plugin.metrics().uploads(NotByReference.FORBIDDEN).sum());

        fake.fault = (request, exchange) -> {
            if (request.operation().equals("CopyObject")) {
                // A server that ignores the source and stores what it got: nothing.
                fake.objects.put(request.key(), new FakeS3.Stored(new byte[0], java.util.Map.of()));
                FakeS3.send(exchange, 200, "<CopyObjectResult><ETag>\"1\"</ETag></CopyObjectResult>", java.util.Map.of());
                return true;
            }
            return false;
        };
        copy(refused);
        assertEquals(1, plugin.metrics().uploads(NotByReference.UNCONFIRMED).sum());
    }

    private void answerCopies(int status, String code) {
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("CopyObject")) {
                FakeS3.error(exchange, status, code);
                return true;
            }
            return false;
        };
    }

    @Test
    void a_copy_whose_indexes_are_refused_does_not_count() throws Exception {
        plugin = Plugins.start(fake, folder);
        TestSegment segment = TestSegment.write(folder, 100, MIB);
        offer(segment.log, "TOKEN", true);
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("PutObject")) {
                FakeS3.error(exchange, 403, "AccessDenied");
                return true;
            }
            return false;
        };
        assertThrows(RemoteStorageException.class, () -> plugin.copyLogSegmentData(segment.retried(), segment.data));
        assertEquals(0, plugin.metrics().copiesByReference.sum());
        fake.fault = (request, exchange) -> false;
        copy(segment);
        assertEquals(1, plugin.metrics().copiesByReference.sum());
        assertEquals(1, plugin.metrics().copies.sum());
    }

    @Test
    void a_setting_forbids_uploads_or_copies_by_reference() throws Exception {
        plugin = Plugins.start(fake, folder, "reference", "require");
        TestSegment segment = TestSegment.write(folder, 100, MIB);
        String message = assertThrows(RemoteStorageException.class, () -> plugin.copyLogSegmentData(segment.metadata(), segment.data)).getMessage();
        assertTrue(message.contains("rsm.config.reference is require"), message);
        assertTrue(fake.objects.isEmpty());
        plugin.close();
        plugin = Plugins.start(fake, folder, "reference", "never");
        offer(segment.log, "TOKEN", true);
        copy(segment);
        assertEquals(0, fake.requests("CopyObject").size());
    }

    @Test
    void a_damaged_segment_stays_local() throws Exception {
        plugin = Plugins.start(fake, folder);
        TestSegment segment = TestSegment.write(folder, 100, MIB);
        byte[] flipped = segment.bytes.clone();
        flipped[segment.bytes.length / 2] ^= 4;
        Files.write(segment.log, flipped);
        String message = assertThrows(RemoteStorageException.class, () -> plugin.copyLogSegmentData(segment.metadata(), segment.data)).getMessage();
        assertTrue(message.contains(segment.log.toString()) && message.contains("wrong checksum, at position"), message);
        assertTrue(fake.objects.isEmpty());
        // By reference, the server finds it.
        offer(segment.log, "TOKEN", true);
        assertThrows(RemoteStorageException.class, () -> plugin.copyLogSegmentData(segment.metadata(), segment.data));
        assertTrue(fake.objects.isEmpty());
        assertEquals(2, plugin.metrics().damagedSegments.sum());
        plugin.close();
        for (String verify : new String[] {"warn", "off"}) {
            plugin = Plugins.start(fake, folder, "verify", verify);
            plugin.copyLogSegmentData(segment.metadata(), segment.data);
            assertArrayEquals(flipped, fake.objects.get(segment.logKey()).bytes());
            plugin.close();
        }
        plugin = null;
    }

    @Test
    void torn_short_and_long_files_are_not_taken_for_the_segment() throws Exception {
        plugin = Plugins.start(fake, folder);
        TestSegment segment = TestSegment.write(folder, 100, MIB);
        Files.write(segment.log, Arrays.copyOf(segment.bytes, segment.bytes.length - 1));
        assertThrows(RemoteStorageException.class, () -> plugin.copyLogSegmentData(segment.metadata(), segment.data));
        assertTrue(fake.objects.isEmpty());
        // A file that was allocated in advance is longer.
        Files.write(segment.log, Arrays.copyOf(segment.bytes, segment.bytes.length + 5000));
        copy(segment);
    }

    @Test
    void a_large_segment_is_uploaded_in_parts_and_a_failed_upload_is_aborted() throws Exception {
        plugin = Plugins.start(fake, folder);
        TestSegment segment = TestSegment.write(folder, 100, 12 * MIB);
        copy(segment);
        assertEquals(3, fake.requests("UploadPart").size());
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("UploadPart")) {
                FakeS3.error(exchange, 403, "AccessDenied");
                return true;
            }
            return false;
        };
        assertThrows(RemoteStorageException.class, () -> plugin.copyLogSegmentData(segment.retried(), segment.data));
        Waiting.until(() -> fake.uploadsOpen() == 0);
    }

    @Test
    void a_part_that_arrives_changed_is_sent_again() throws Exception {
        plugin = Plugins.start(fake, folder);
        TestSegment segment = TestSegment.write(folder, 100, 6 * MIB);
        int[] left = {1};
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("UploadPart") && left[0]-- > 0) {
                exchange.getRequestBody().readAllBytes();
                FakeS3.error(exchange, 400, "BadDigest");
                return true;
            }
            return false;
        };
        copy(segment);
        assertEquals(3, fake.requests("UploadPart").size());
    }

    @Test
    void credentials_may_change_during_a_copy() throws Exception {
        plugin = Plugins.start(fake, folder);
        fake.accessKey = "KEY";
        TestSegment segment = TestSegment.write(folder, 100, 12 * MIB);
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("UploadPart") && request.accessKey().equals("KEY")) {
                fake.accessKey = "NEWKEY";
                Plugins.writeCredentials(folder.resolve("credentials"), "NEWKEY", "newsecret");
            }
            return false;
        };
        copy(segment);
        assertTrue(fake.requests("CompleteUpload").stream().allMatch(each -> each.accessKey().equals("NEWKEY")));
        // A file that is half written keeps the credentials.
        Files.writeString(folder.resolve("credentials"), "[default]\naws_access_key_id = NEW");
        copy(TestSegment.write(folder, 50_000, MIB));
    }

    @Test
    void uploads_keep_to_their_rate() throws Exception {
        plugin = Plugins.start(fake, folder, "upload.max.bytes.per.second", String.valueOf(2 * MIB));
        TestSegment segment = TestSegment.write(folder, 100, 3 * MIB);
        long begun = System.nanoTime();
        copy(segment);
        assertTrue(System.nanoTime() - begun > 1_200_000_000L);
    }

    @Test
    void an_interrupt_ends_a_copy_at_once_and_its_upload_too() throws Exception {
        plugin = Plugins.start(fake, folder, "upload.max.bytes.per.second", String.valueOf(MIB));
        TestSegment segment = TestSegment.write(folder, 100, 12 * MIB);
        long millis = Waiting.millisUntilInterrupted(() -> plugin.copyLogSegmentData(segment.metadata(), segment.data), () -> plugin.metrics().requests.sum() >= 4 && !fake.requests("CreateUpload").isEmpty());
        assertTrue(millis < 1000, millis + " ms");
        Waiting.until(() -> fake.uploadsOpen() == 0);
        assertFalse(fake.objects.containsKey(segment.indexesKey()));
    }

    @Test
    void stale_uploads_of_the_plugin_are_aborted_and_no_others() throws Exception {
        TestSegment segment = TestSegment.write(folder, 100, 1000);
        fake.addUpload(segment.logKey(), Instant.now().minus(Duration.ofDays(3)));
        fake.addUpload(segment.logKey(), Instant.now());
        fake.addUpload("somebody/elses", Instant.now().minus(Duration.ofDays(3)));
        plugin = Plugins.start(fake, folder);
        Waiting.until(() -> plugin.metrics().abortedUploads.sum() == 1);
        assertEquals(2, fake.uploadsOpen());
    }

    @Test
    void a_segment_without_a_producer_snapshot_is_copied() throws Exception {
        plugin = Plugins.start(fake, folder);
        TestSegment segment = TestSegment.write(folder, 100, MIB);
        Files.delete(segment.data.producerSnapshotIndex());
        copy(segment);
        assertFalse(SegmentFacts.decode(segment.metadata().customMetadata().orElseThrow().value()).orElseThrow()
                .has(IndexType.PRODUCER_SNAPSHOT));
    }
}
