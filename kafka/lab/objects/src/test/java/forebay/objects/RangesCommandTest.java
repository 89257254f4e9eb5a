package forebay.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.model.S3Object;

class RangesCommandTest {
    private static final S3Object LARGE = S3Object.builder().key("large").size(250L).build();
    private static final S3Object SMALL = S3Object.builder().key("small").size(7L).build();

    @Test
    void rangesInOrderCoverAnObjectOnce() {
        List<RangesCommand.Range> ranges = RangesCommand.inOrder(LARGE, 100);
        assertEquals(List.of(new RangesCommand.Range("large", 0, 100), new RangesCommand.Range("large", 100, 100),
                new RangesCommand.Range("large", 200, 50)), ranges);
    }

    @Test
    void rangesAtRandomAreWithinTheirObjects() {
        List<RangesCommand.Range> ranges = RangesCommand.atRandom(List.of(LARGE, SMALL), 100, 200, new Random(1));
        assertEquals(200, ranges.size());
        assertTrue(ranges.stream().filter(range -> range.key().equals("large")).allMatch(range -> range.length() == 100 && range.offset() <= 150));
        assertTrue(ranges.stream().filter(range -> range.key().equals("small")).allMatch(range -> range.length() == 7 && range.offset() == 0));
        assertTrue(ranges.stream().map(RangesCommand.Range::offset).distinct().count() > 50);
    }
}
