package forebay.objects;

import java.util.LinkedHashMap;
import java.util.Map;

/** What is checked, group by group. Every group has a prefix of its own in the bucket. */
final class Groups {
    /** The checks of one group. */
    @FunctionalInterface
    interface Group {
        void run(Store store, Sizes sizes) throws InterruptedException;
    }

    private Groups() {}

    /** All groups by name, in the order in which they run. */
    static Map<String, Group> all() {
        Map<String, Group> all = new LinkedHashMap<>();
        all.put("segments", SegmentChecks::run);
        all.put("overwrite", OverwriteChecks::run);
        all.put("conditions", ConditionChecks::run);
        all.put("multipart", MultipartChecks::run);
        all.put("delete", DeleteChecks::run);
        all.put("list", ListChecks::run);
        all.put("tiering", TieringChecks::run);
        return all;
    }
}
