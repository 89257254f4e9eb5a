package forebay.workload;

import java.util.Base64;
import java.util.Random;

/** How messages get their keys, from a set of 10,000. */
enum KeyDistributor {
    /** None: the producer spreads messages as it likes. */
    NO_KEY {
        @Override
        byte[] key(long number) {
            return null;
        }
    },

    /** One after the other. */
    KEY_ROUND_ROBIN {
        @Override
        byte[] key(long number) {
            return KEYS[(int) (number % KEYS.length)];
        }
    },

    /** Chosen by the clock's nanoseconds. */
    RANDOM_NANO {
        @Override
        byte[] key(long number) {
            return KEYS[(int) Math.floorMod(System.nanoTime(), (long) KEYS.length)];
        }
    };

    private static final byte[][] KEYS = keys();

    /** The key of a sender's message with that number. */
    abstract byte[] key(long number);

    private static byte[][] keys() {
        Random random = new Random();
        byte[][] keys = new byte[10_000][];
        byte[] bytes = new byte[7];
        for (int i = 0; i < keys.length; i++) {
            random.nextBytes(bytes);
            keys[i] = Base64.getUrlEncoder().withoutPadding().encode(bytes);
        }
        return keys;
    }
}
