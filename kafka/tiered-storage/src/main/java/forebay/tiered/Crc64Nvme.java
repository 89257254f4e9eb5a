package forebay.tiered;

import java.util.zip.Checksum;

/** CRC-64/NVME, which S3 servers compute for whole objects. */
final class Crc64Nvme implements Checksum {
    private static final long POLYNOMIAL = 0x9A6C9329AC4BC9B5L;
    private static final long[] TABLE = table();

    private long state = -1;

    private static long[] table() {
        long[] table = new long[256];
        for (int index = 0; index < table.length; index++) {
            long value = index;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : (value >>> 1) ^ POLYNOMIAL;
            }
            table[index] = value;
        }
        return table;
    }

    @Override
    public void update(int value) {
        state = (state >>> 8) ^ TABLE[(int) (state ^ value) & 0xff];
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        long value = state;
        for (int at = offset; at < offset + length; at++) {
            value = (value >>> 8) ^ TABLE[(int) (value ^ bytes[at]) & 0xff];
        }
        state = value;
    }

    @Override
    public long getValue() {
        return ~state;
    }

    @Override
    public void reset() {
        state = -1;
    }
}
