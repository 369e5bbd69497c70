package dev.heddle.workload.megatron.kernel;

import dev.heddle.spi.Setting;

/**
 * The shape of the tiles into which a library divides the result of a matrix product.
 *
 * @param m rows of a tile
 * @param n columns of a tile
 * @param efficiency share of a compute unit's peak within a tile whose inner size is long
 */
public record GemmTile(
    @Setting(value = "rows of a tile", min = "1", max = "4096") int m,
    @Setting(value = "columns of a tile", min = "1", max = "4096") int n,
    @Setting(value = "share of a compute unit's peak within a long tile", min = "0.01", max = "1") double efficiency) {}
