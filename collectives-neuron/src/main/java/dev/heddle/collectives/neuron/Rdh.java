package dev.heddle.collectives.neuron;

/**
 * How recursive doubling and halving goes among the ranks of one instance.
 *
 * @param placement where the ranks lie
 * @param cube their chips
 * @param asArrived whether what lies within the chip is done chunk by chunk, as soon as data are there; otherwise all of it
 *     before halving, and after doubling
 */
record Rdh(Placement placement, ChipCube cube, boolean asArrived) {
  /** The scratch buffers of as many chunks as there are in all that reducing needs. */
  int mirrors() {
    return 1 + cube.axes();
  }
}
