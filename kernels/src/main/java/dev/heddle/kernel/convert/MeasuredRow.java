package dev.heddle.kernel.convert;

import dev.heddle.kernel.TableId;

/**
 * A measured kernel.
 *
 * @param table that it belongs to
 * @param shape sizes in the order of its kind
 * @param seconds that it took
 * @param software that ran it
 * @param place file and line
 */
public record MeasuredRow(TableId table, long[] shape, double seconds, String software, String place) {}
