package forebay.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class TimingsTest {
    @Test
    void aRateIsThatOfOneOperationAtATime() {
        Timings timings = new Timings();
        timings.add("put", 10_000_000, 1_000_000);
        timings.add("put", 30_000_000, 3_000_000);
        timings.add("head", 1_000_000, 0);
        Map<String, Object> put = timings.summary().get(0);
        assertEquals(2L, put.get("count"));
        assertEquals(4_000_000L, put.get("bytes"));
        assertEquals(100.0, (double) put.get("mb_per_s"), 0.01);
        assertEquals(10.0, (double) put.get("p50_ms"), 0.1);
        assertEquals(30.0, (double) put.get("p99_ms"), 0.1);
        assertEquals("head", timings.summary().get(1).get("name"));
    }

    @Test
    void theNameOfAProgramDoesNotConfuseItsTimes() {
        assertEquals(2.0, ProcessorTime.in("12 (a) b) S 1 12 12 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 9 0 1 2 3"));
        assertTrue(Double.isNaN(ProcessorTime.in("12 (a")));
        assertTrue(ProcessorTime.seconds(ProcessHandle.current().pid()) > 0);
        assertTrue(Double.isNaN(ProcessorTime.seconds(null)));
    }
}
