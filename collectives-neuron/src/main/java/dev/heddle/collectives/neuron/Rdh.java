package dev.heddle.collectives.neuron;

/**
 * Recursive doubling and halving among the ranks of one instance.
 *
 * @param placement of the ranks
 * @param cube their chips
 * @param asArrived whether the work within the chip is done chunk by chunk, as data arrive; otherwise all of it before
 * halving, and after doubling
 */
record Rdh(Placement placement, ChipCube cube, boolean asArrived) {
  /** The number of scratch buffers, each with the total number of chunks, that a reduction needs. */
  int mirrors() {
    return 1 + cube.axes();
  }
}
