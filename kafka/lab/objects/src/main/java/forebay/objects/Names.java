package forebay.objects;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** Keys as tiered storage names them, and what a listing of them must have. */
final class Names {
    /** The order of S3's listings: that of the keys' bytes in UTF-8. */
    static final Comparator<String> BY_BYTES = (left, right) -> Arrays.compareUnsigned(
            left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));

    /** Some that clients and servers have to encode. */
    private static final List<String> UNUSUAL =
            List.of("a b", "a+b", "a%2Fb", "a&b=c", "a'b\"c<d>", "ä€😀", "~", "\uFF5E", "a.b", "a-b", "a/b");

    private Names() {}

    /** {@code count} keys below a prefix, of several topics and partitions, and some unusual ones; ordered. */
    static List<String> below(String prefix, int count) {
        TreeSet<String> keys = new TreeSet<>(BY_BYTES);
        UNUSUAL.forEach(name -> keys.add(prefix + "unusual/" + name));
        for (int i = 0; keys.size() < count; i++) {
            keys.add(prefix + "topic-%d/%d/%020d.log".formatted(i % 3, i / 3 % 4, 1000L * i));
        }
        return List.copyOf(keys);
    }

    /** The common prefixes of keys that begin with a prefix, and the keys that have no delimiter behind it, in order. */
    static Folded fold(List<String> keys, String prefix, String delimiter) {
        TreeSet<String> prefixes = new TreeSet<>(BY_BYTES);
        List<String> rest = new ArrayList<>();
        for (String key : keys) {
            if (!key.startsWith(prefix)) {
                continue;
            }
            int at = key.indexOf(delimiter, prefix.length());
            if (at < 0) {
                rest.add(key);
            } else {
                prefixes.add(key.substring(0, at + delimiter.length()));
            }
        }
        return new Folded(List.copyOf(prefixes), List.copyOf(rest));
    }

    /** A listing with a delimiter. */
    record Folded(List<String> prefixes, List<String> keys) {}

    /** How two lists differ first, or null. */
    static String difference(List<String> expected, List<String> actual) {
        for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
            if (!expected.get(i).equals(actual.get(i))) {
                return "number %d is %s instead of %s".formatted(i + 1, actual.get(i), expected.get(i));
            }
        }
        return expected.size() == actual.size() ? null : "%d instead of %d".formatted(actual.size(), expected.size());
    }
}
