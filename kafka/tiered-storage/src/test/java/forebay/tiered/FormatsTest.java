package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys, custom metadata and settings. */
class FormatsTest {
    @TempDir
    Path folder;

    private static final SegmentFacts FACTS = new SegmentFacts(SegmentFacts.Kind.CRC64NVME, 0x0102030405060708L, 1 << 20,
            new int[] {10, 0, 30, -1, 5}, new int[] {1, 2, 3, 4, 5});

    @Test
    void custom_metadata_stays_as_it_was_written_by_version_1() {
        String stored = "466201020102030405060708001000000000000a0000000100000000000000020000001e00000003ffffffff000000040000000500000005";
        assertEquals(stored, HexFormat.of().formatHex(FACTS.encode()));
        SegmentFacts read = SegmentFacts.decode(HexFormat.of().parseHex(stored)).orElseThrow();
        assertEquals(FACTS.encodeText(), read.encodeText());
        assertEquals(45, read.total());
        assertEquals(10, read.offset(IndexType.PRODUCER_SNAPSHOT));
        assertEquals(40, read.offset(IndexType.LEADER_EPOCH));
        assertTrue(read.has(IndexType.TIMESTAMP));
        assertFalse(read.has(IndexType.TRANSACTION));
    }

    @Test
    void custom_metadata_of_others_is_not_ours() {
        assertTrue(SegmentFacts.decode(new byte[0]).isEmpty());
        assertTrue(SegmentFacts.decode(new byte[SegmentFacts.BYTES]).isEmpty());
        byte[] newer = FACTS.encode();
        newer[2] = 2;
        assertTrue(SegmentFacts.decode(newer).isEmpty());
        byte[] impossible = FACTS.encode();
        impossible[16] = (byte) 0x80;
        assertTrue(SegmentFacts.decode(impossible).isEmpty());
        assertTrue(SegmentFacts.decodeText("not base64 !").isEmpty());
        assertTrue(SegmentFacts.decodeText(null).isEmpty());
    }

    @Test
    void keys_follow_from_the_segment_and_can_be_read_back() throws Exception {
        TestSegment segment = TestSegment.write(folder, 12345, 100);
        ObjectKeys keys = new ObjectKeys("cluster/one/");
        String log = keys.log(segment.metadata());
        String id = segment.metadata().remoteLogSegmentId().id().toString();
        String topicId = segment.metadata().topicIdPartition().topicId().toString();
        assertEquals("cluster/one/topic.of-tests_1-" + topicId + "/7/00000000000000012345-" + id + ".log", log);
        ObjectKeys.Parsed parsed = keys.parse(log).orElseThrow();
        assertEquals(new ObjectKeys.Parsed(topicId, 7, 12345, id, ".log"), parsed);
        assertTrue(keys.parse(log.substring(1)).isEmpty());
        assertTrue(keys.parse(log + "x").isEmpty());
        assertTrue(keys.parse("cluster/one/else").isEmpty());
    }

    private static Settings parse(Object... more) {
        Map<String, Object> configs = new HashMap<>(Map.of("broker.id", 4, "bucket", "tier"));
        for (int index = 0; index < more.length; index += 2) {
            configs.put((String) more[index], more[index + 1]);
        }
        return Settings.parse(configs);
    }

    private static void refused(String named, Object... more) {
        String message = assertThrows(ConfigException.class, () -> parse(more)).getMessage();
        assertTrue(message.contains(named), message);
    }

    @Test
    void brokers_name_themselves_in_one_way_or_the_other_or_in_both() {
        assertEquals(4, parse().brokerId());
        assertEquals(4, parse("node.id", "4").brokerId());
        assertEquals(5, Settings.parse(Map.of("node.id", 5, "bucket", "tier")).brokerId());
        assertEquals(-1, Settings.parse(Map.of("bucket", "tier")).brokerId());
    }

    @Test
    void settings_that_are_wrong_are_named_with_a_remedy() {
        refused("rsm.config.endpoint", "endpoint", "forebay:9000");
        refused("use http://HOST:PORT", "endpoint", "ftp://forebay:9000");
        refused("rsm.config.bucket", "bucket", "Tier");
        refused("rsm.config.bucket is missing", "bucket", "");
        refused("use one of auto, never, require", "reference", "sometimes");
        refused("use one of refuse, warn, off", "verify", "yes");
        refused("from 5242880 to", "part.size.bytes", "1024");
        refused("use a number", "timeout.ms", "30s");
        refused("use true or false", "path.style", "yes");
        refused("does not exist", "credentials.file", folder(), "region", "x");
        refused("rsm.config.key.prefix", "key.prefix", "/");
        refused("rsm.config.key.prefix", "key.prefix", "a//b");
        refused("rsm.config.key.prefix", "key.prefix", "a/../b");
        refused("rsm.config.prat.size", "prat.size", "1");
    }

    private static String folder() {
        return "/nothing/is/here";
    }

    @Test
    void settings_have_defaults() {
        Settings settings = parse("key.prefix", "a/b", "endpoint", "http://127.0.0.1:9000");
        assertEquals("a/b/", settings.keyPrefix());
        assertEquals("", parse().keyPrefix());
        assertTrue(settings.pathStyle());
        assertFalse(parse().pathStyle());
        assertEquals(4, settings.brokerId());
        assertEquals(Settings.Reference.AUTO, settings.reference());
        assertEquals(Settings.Verify.REFUSE, settings.verify());
        // A slow upload rate does not make every copy late.
        assertEquals(1800 + 1024, parse("upload.max.bytes.per.second", "1048576").copyTimeout(1 << 30).toSeconds());
    }
}
