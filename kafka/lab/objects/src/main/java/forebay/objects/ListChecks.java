package forebay.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Listings of many objects: every key once and in order, page by page, with prefixes and a delimiter. */
final class ListChecks {
    private static final String PREFIX = "list/";
    private static final int WRITERS = 8;
    private static final int PAGES_MAX = 10_000;

    private ListChecks() {}

    static void run(Store store, Sizes sizes) throws InterruptedException {
        List<String> keys = Names.below(PREFIX, sizes.listed());
        Workers.run(WRITERS, keys.size(), index -> store.put(keys.get(index), content(index)));
        expect(store, "all keys are listed once, in the order of their bytes", keys, request -> {});
        expect(store, "pages of 100 keys have the same keys", keys, request -> request.maxKeys(100));
        String partition = PREFIX + "topic-1/2/";
        expect(store, "a prefix lists the keys that begin with it",
                keys.stream().filter(key -> key.startsWith(partition)).toList(), request -> request.prefix(partition));
        String middle = keys.get(keys.size() / 2);
        expect(store, "start-after lists the keys behind it",
                keys.subList(keys.size() / 2 + 1, keys.size()), request -> request.startAfter(middle));
        for (String prefix : List.of(PREFIX, PREFIX + "topic-0/", PREFIX + "unusual/")) {
            folded(store, keys, prefix);
        }
        int step = Math.max(1, keys.size() / 20);
        for (int index = 0; index < keys.size(); index += step) {
            store.get(keys.get(index), content(index));
        }
    }

    private static Content content(int index) {
        return new Content(6000 + index, 100 + index % 50);
    }

    private static void expect(Store store, String title, List<String> keys, Consumer<ListObjectsV2Request.Builder> more) {
        List<ListObjectsV2Response> pages = pages(store, more);
        if (pages != null) {
            List<String> listed = pages.stream().flatMap(page -> page.contents().stream()).map(S3Object::key).toList();
            store.cases().check(store.group(), Cases.Kind.RULE, title, Names.difference(keys, listed));
        }
    }

    private static void folded(Store store, List<String> keys, String prefix) {
        List<ListObjectsV2Response> pages = pages(store, request -> request.prefix(prefix).delimiter("/").maxKeys(3));
        if (pages != null) {
            Names.Folded expected = Names.fold(keys, prefix, "/");
            List<String> prefixes =
                    pages.stream().flatMap(page -> page.commonPrefixes().stream()).map(CommonPrefix::prefix).toList();
            List<String> listed = pages.stream().flatMap(page -> page.contents().stream()).map(S3Object::key).toList();
            store.cases().check(store.group(), Cases.Kind.RULE, "a delimiter lists each prefix once", Names.difference(expected.prefixes(), prefixes));
            store.cases().check(store.group(), Cases.Kind.RULE, "a delimiter lists the keys without it", Names.difference(expected.keys(), listed));
        }
    }

    /** All pages, or null if one was not answered. */
    private static List<ListObjectsV2Response> pages(Store store, Consumer<ListObjectsV2Request.Builder> more) {
        List<ListObjectsV2Response> pages = new ArrayList<>();
        String token = null;
        do {
            String from = token;
            ListObjectsV2Response page = store.answered("list", 0, () -> store.client().listObjectsV2(request -> {
                request.bucket(store.bucket()).prefix(PREFIX);
                more.accept(request);
                request.continuationToken(from);
            }));
            if (page == null) {
                return null;
            }
            pages.add(page);
            token = page.nextContinuationToken();
        } while (token != null && pages.size() < PAGES_MAX);
        return pages;
    }
}
