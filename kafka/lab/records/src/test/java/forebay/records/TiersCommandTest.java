package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class TiersCommandTest {
    private static final TopicPartition ZERO = new TopicPartition("t", 0);
    private static final TopicPartition ONE = new TopicPartition("t", 1);

    @Test
    void recordsThatAreNeitherLocalNorInTheTierAreNamed() {
        var state = new TiersCommand.State(Map.of(ZERO, 7L, ONE, 0L), Map.of(ZERO, 100L, ONE, 0L), Map.of(ZERO, 98L, ONE, -1L), Map.of(ZERO, 150L, ONE, 20L));
        Map<String, Object> figures = state.figures(new HashSet<>());
        assertEquals(List.of("t-0 begins locally at 100, and the tier ends at 99"), figures.get("lost"));
        assertEquals(99L, figures.get("tiered"));
        assertEquals(100L, figures.get("local"));
        assertEquals(170L, figures.get("end"));
        assertEquals(Map.of("t-0", 99L, "t-1", 0L), figures.get("next"));
        assertEquals(Map.of("t-0", 7L, "t-1", 0L), figures.get("starts"));
        assertEquals(Map.of("t-0", 150L, "t-1", 20L), figures.get("ends"));
    }

    @Test
    void recordsThatRetentionDeletesAreNotLost() {
        var state = new TiersCommand.State(Map.of(ZERO, 100L), Map.of(ZERO, 100L), Map.of(ZERO, 98L), Map.of(ZERO, 150L));
        assertEquals(List.of(), state.figures(new HashSet<>()).get("lost"));
    }

    @Test
    void aNewLeaderThatHasNotReadTheMetadataHasLostNothing() {
        var known = new HashSet<TopicPartition>();
        new TiersCommand.State(Map.of(ZERO, 0L), Map.of(ZERO, 50L), Map.of(ZERO, 98L), Map.of(ZERO, 150L)).figures(known);
        assertEquals(Set.of(ZERO), known);
        var next = new TiersCommand.State(Map.of(ZERO, 0L), Map.of(ZERO, 100L), Map.of(ZERO, -1L), Map.of(ZERO, 150L));
        assertEquals(List.of(), next.figures(known).get("lost"));
        assertEquals(1, ((List<?>) next.figures(new HashSet<>()).get("lost")).size());
    }
}
