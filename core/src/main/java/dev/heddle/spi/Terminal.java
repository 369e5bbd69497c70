package dev.heddle.spi;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A device that a topology connects.
 *
 * @param name unique within its tier, such as {@code accelerator3}
 * @param kind of the device
 * @param uplink whether the next outer tier connects it too
 */
public record Terminal(String name, DeviceKind kind, boolean uplink) {
  /** The numbers of the terminals of one kind in a list, ascending. */
  public static int[] numbers(List<Terminal> terminals, DeviceKind kind) {
    return IntStream.range(0, terminals.size()).filter(i -> terminals.get(i).kind() == kind).toArray();
  }
}
