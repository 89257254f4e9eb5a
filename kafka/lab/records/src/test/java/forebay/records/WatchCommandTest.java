package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;

final class WatchCommandTest {
    private static final Node A = new Node(1, "a", 9092);
    private static final Node B = new Node(2, "b", 9092);

    @Test
    void replicasOutOfSyncAndLeadersThatAreGoneAreCounted() {
        TopicDescription topic = new TopicDescription("t", false, List.of(
                new TopicPartitionInfo(0, A, List.of(A, B), List.of(A, B)),
                new TopicPartitionInfo(1, A, List.of(A, B), List.of(A)),
                new TopicPartitionInfo(2, Node.noNode(), List.of(A, B), List.of())));
        assertEquals(new WatchCommand.State(3, 2, 1), WatchCommand.State.of(List.of(topic)));
    }
}
