package forebay.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ChecksTest {
    @Test
    void versionsOfAnObjectHaveContentsOfTheirOwn() {
        assertNotEquals(OverwriteChecks.content(4).length(), OverwriteChecks.content(8).length());
        for (int version = 1; version < 20; version++) {
            assertNotEquals(OverwriteChecks.content(version), OverwriteChecks.content(version + 7));
            assertTrue(OverwriteChecks.content(version).length() > 0);
        }
    }

    @Test
    void allSizesHaveSegmentsOfOneToSixtyFourMebibytes() {
        for (String name : new String[] {"laptop", "full"}) {
            Sizes sizes = Sizes.named(name);
            assertTrue(sizes.segments().contains(1) && sizes.segments().contains(64));
            assertTrue(sizes.listed() > 1000, "more than a page");
        }
        assertEquals(null, Sizes.named("huge"));
    }

    @Test
    void partsCoverAFileWithoutAGap() {
        assertEquals(List.of(new UploadCommand.Part(1, 0, 10), new UploadCommand.Part(2, 10, 10), new UploadCommand.Part(3, 20, 5)),
                UploadCommand.parts(25, 10));
        assertEquals(List.of(new UploadCommand.Part(1, 0, 10)), UploadCommand.parts(10, 10));
        assertEquals(List.of(new UploadCommand.Part(1, 0, 0)), UploadCommand.parts(0, 10));
    }

    @Test
    void workersDoAllWorkOnce() throws InterruptedException {
        ConcurrentHashMap<Integer, Integer> done = new ConcurrentHashMap<>();
        Workers.run(4, 100, index -> done.merge(index, 1, Integer::sum));
        assertEquals(100, done.size());
        assertTrue(done.values().stream().allMatch(times -> times == 1));
    }

    @Test
    void aFailureOfAWorkerEndsTheWorkAndIsThrown() {
        AtomicInteger begun = new AtomicInteger();
        assertThrows(IllegalStateException.class, () -> Workers.run(1, 100, index -> {
            begun.incrementAndGet();
            throw new IllegalStateException("no");
        }));
        assertEquals(1, begun.get());
    }

    @Test
    void aCommandLineWithAnUnknownSizeIsRefused() {
        assertEquals(2, Main.commandLine().execute("check", "--endpoint", "http://127.0.0.1:1", "--size", "huge"));
    }
}
