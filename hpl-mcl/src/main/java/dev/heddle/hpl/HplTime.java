package dev.heddle.hpl;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * The time of HPL, by cause.
 *
 * @param flops credited by HPL
 * @param calculation seconds of factorising and updating
 * @param layers communication, innermost layer first
 */
public record HplTime(double flops, double calculation, List<LayerTime> layers) {
  /** Copies the list. */
  public HplTime {
    layers = ImmutableList.copyOf(layers);
  }

  /**
   * Communication of one layer, seconds.
   *
   * @param layer its name
   * @param pivot searching and exchanging pivots
   * @param broadcast of panels along rows of the grid
   * @param update swapping rows and spreading them along columns of the grid
   */
  public record LayerTime(String layer, double pivot, double broadcast, double update) {
    /** All three, seconds. */
    public double total() {
      return pivot + broadcast + update;
    }
  }

  /** Communication of all layers, seconds. */
  public double communication() {
    return layers.stream().mapToDouble(LayerTime::total).sum();
  }

  /** Seconds from start to end: calculation and communication follow each other [MCL-HPL eq. 22]. */
  public double seconds() {
    return calculation + communication();
  }

  /** Operations per second: Rmax when the problem fills the memory. */
  public double flopsPerSecond() {
    return flops / seconds();
  }

  /** The absolute difference from a reported Rmax (operations per second) in percent of it [MCL-HPL eq. 31, 32]. */
  public double differencePct(double reported) {
    return Math.abs(flopsPerSecond() / reported - 1) * 100;
  }
}
