package forebay.objects;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Collects what was checked. A case is one sentence, which may be checked many times. */
final class Cases {
    /** What a case is about. */
    enum Kind {
        /** The store answered, and not with an error. */
        ANSWER,
        /** The bytes are those that were written. */
        CONTENT,
        /** The answer is what S3 answers. */
        RULE
    }

    private static final int DETAILS_MAX = 3;

    private final Map<String, Case> cases = new LinkedHashMap<>();

    private static final class Case {
        private final String group;
        private final Kind kind;
        private long checked;
        private long failed;
        private final List<String> details = new ArrayList<>();

        Case(String group, Kind kind) {
            this.group = group;
            this.kind = kind;
        }
    }

    /** Checks once; {@code difference} is null if all is well. */
    synchronized void check(String group, Kind kind, String title, String difference) {
        Case found = cases.computeIfAbsent(group + ": " + title, unused -> new Case(group, kind));
        found.checked++;
        if (difference != null) {
            found.failed++;
            if (found.details.size() < DETAILS_MAX) {
                found.details.add(difference);
            }
        }
    }

    /** Checks that two values are equal. */
    void equal(String group, String title, Object expected, Object actual) {
        boolean same = Objects.equals(expected, actual);
        check(group, Kind.RULE, title, same ? null : "%s instead of %s".formatted(actual, expected));
    }

    /** Whether no check of this kind, and there was one, failed. */
    synchronized boolean passed() {
        return !cases.isEmpty() && cases.values().stream().allMatch(one -> one.failed == 0);
    }

    /** What the summary has. */
    synchronized List<Map<String, Object>> summary() {
        List<Map<String, Object>> all = new ArrayList<>();
        cases.forEach((title, one) -> {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("group", one.group);
            line.put("kind", one.kind.name().toLowerCase(java.util.Locale.ROOT));
            line.put("title", title);
            line.put("checked", one.checked);
            line.put("failed", one.failed);
            line.put("details", one.details);
            all.add(line);
        });
        return all;
    }
}
