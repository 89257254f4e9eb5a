package forebay.tiered;

/** Why a segment was uploaded and not copied by reference. */
enum NotByReference {
    SWITCHED_OFF("SwitchedOff", "rsm.config.reference is never"),
    EMPTY("Empty", "it is empty, or longer than Kafka says"),
    NO_ATTRIBUTE("NoAttribute", "its file system does not offer the attribute user.forebay.source"),
    OTHER_FILE("OtherFile", "its path named another file, or none, when the attribute was read"),
    UNKNOWN("Unknown", "the S3 server does not know the file: it is of another pool, or of another server"),
    FORBIDDEN("Forbidden", "the S3 server forbade the copy"),
    CHANGED("Changed", "the file changed while it was copied"),
    NOT_IMPLEMENTED("NotImplemented", "the S3 server does not copy by reference"),
    UNCONFIRMED("Unconfirmed", "the answer had no checksum"),
    DAMAGED("Damaged", "its records are damaged, and rsm.config.verify is warn");

    private final String label;
    private final String text;

    NotByReference(String label, String text) {
        this.label = label;
        this.text = text;
    }

    String label() {
        return label;
    }

    String text() {
        return text;
    }
}
