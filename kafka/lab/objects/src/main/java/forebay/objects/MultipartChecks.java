package forebay.objects;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListPartsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** Uploads in parts: in any order, with a part that is sent twice, listed, completed, aborted. */
final class MultipartChecks {
    private static final int REST = 12_345;
    private static final String PREFIX = "multipart/";

    private MultipartChecks() {}

    static void run(Store store, Sizes sizes) {
        complete(store, sizes);
        abort(store);
        refusals(store);
    }

    /** An upload that has begun. */
    private record Upload(Store store, String key, String id) {
        static Upload begin(Store store, String key) {
            CreateMultipartUploadResponse answer = store.answered("create upload", 0,
                    () -> store.client().createMultipartUpload(request -> request.bucket(store.bucket()).key(key)));
            return answer == null ? null : new Upload(store, key, answer.uploadId());
        }

        UploadPartResponse send(int number, Content content, long offset, long count) {
            return store.client().uploadPart(
                    request -> request.bucket(store.bucket()).key(key).uploadId(id).partNumber(number),
                    RequestBody.fromContentProvider(() -> content.stream(offset, count), count, Store.BINARY));
        }

        CompletedPart part(int number, Content content, long offset, long count) {
            UploadPartResponse answer = store.answered("upload part", count, () -> send(number, content, offset, count));
            return answer == null ? null : CompletedPart.builder().partNumber(number).eTag(answer.eTag()).build();
        }

        CompleteMultipartUploadResponse finish(List<CompletedPart> parts) {
            return store.client().completeMultipartUpload(request -> request.bucket(store.bucket()).key(key).uploadId(id)
                    .multipartUpload(upload -> upload.parts(parts)));
        }

        void abort() {
            store.answered("abort upload", 0, () -> store.client()
                    .abortMultipartUpload(request -> request.bucket(store.bucket()).key(key).uploadId(id)));
        }
    }

    private static void complete(Store store, Sizes sizes) {
        long partBytes = (long) sizes.partMib() * Sizes.MIB;
        Content content = new Content(4001, sizes.parts() * partBytes + REST);
        Upload upload = Upload.begin(store, PREFIX + "segment.log");
        if (upload == null) {
            return;
        }
        List<Integer> order = new ArrayList<>();
        for (int number = 1; number <= sizes.parts() + 1; number++) {
            order.add(number);
        }
        Collections.reverse(order);
        // The first part is replaced by the right one later.
        upload.part(1, new Content(4002, partBytes), 0, partBytes);
        List<CompletedPart> parts = new ArrayList<>();
        for (int number : order) {
            long offset = (number - 1) * partBytes;
            CompletedPart part = upload.part(number, content, offset, Math.min(partBytes, content.length() - offset));
            if (part == null) {
                return;
            }
            parts.add(part);
        }
        parts.sort(Comparator.comparing(CompletedPart::partNumber));
        ListPartsResponse listed = store.answered("list parts", 0,
                () -> store.client().listParts(request -> request.bucket(store.bucket()).key(upload.key()).uploadId(upload.id())));
        if (listed != null) {
            store.cases().equal(store.group(), "the parts are listed in order, with their ETags",
                    parts.stream().map(CompletedPart::eTag).toList(), listed.parts().stream().map(Part::eTag).toList());
        }
        store.absent("before its completion there is no object", upload.key());
        CompleteMultipartUploadResponse answer =
                store.answered("complete upload", content.length(), () -> upload.finish(parts));
        if (answer != null) {
            store.cases().equal(store.group(), "the ETag names the number of parts", true, answer.eTag().endsWith("-%d\"".formatted(parts.size())));
            store.get(upload.key(), content);
            store.range(upload.key(), "bytes=%d-%d".formatted(partBytes - 1000, partBytes + 999), content, partBytes - 1000, 2000);
        }
    }

    private static void abort(Store store) {
        Upload upload = Upload.begin(store, PREFIX + "aborted.log");
        if (upload == null) {
            return;
        }
        Content content = new Content(4003, 5L * Sizes.MIB);
        upload.part(1, content, 0, content.length());
        upload.abort();
        ListMultipartUploadsResponse uploads = store.answered("list uploads", 0,
                () -> store.client().listMultipartUploads(request -> request.bucket(store.bucket()).prefix(PREFIX)));
        if (uploads != null) {
            store.cases().equal(store.group(), "neither a completed nor an aborted upload is listed", List.of(),
                    uploads.uploads().stream().map(MultipartUpload::key).toList());
        }
        store.absent("an aborted upload leaves no object", upload.key());
        store.refused("a part of an aborted upload is refused", 404, "NoSuchUpload",
                () -> upload.send(2, content, 0, 1000));
    }

    private static void refusals(Store store) {
        Upload upload = Upload.begin(store, PREFIX + "refused.log");
        if (upload == null) {
            return;
        }
        long whole = 5L * Sizes.MIB;
        Content content = new Content(4004, 2 * whole);
        CompletedPart small = upload.part(1, content, 0, 50_000);
        CompletedPart first = upload.part(2, content, 0, whole);
        CompletedPart second = upload.part(3, content, whole, whole);
        if (small != null && first != null && second != null) {
            store.refused("a part that is too small, and not the last, is refused", 400, "EntityTooSmall",
                    () -> upload.finish(List.of(small, first, second)));
            CompletedPart wrong = first.toBuilder().eTag("\"00000000000000000000000000000000\"").build();
            store.refused("a part with another ETag is refused", 400, "InvalidPart", () -> upload.finish(List.of(wrong)));
            store.refused("parts out of order are refused", 400, "InvalidPartOrder", () -> upload.finish(List.of(second, first)));
        }
        store.absent("a refused completion leaves no object", upload.key());
        upload.abort();
    }
}
