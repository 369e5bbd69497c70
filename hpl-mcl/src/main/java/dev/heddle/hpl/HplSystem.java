package dev.heddle.hpl;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.units.ComputeRate;
import java.util.List;

/**
 * A machine as the closed forms of HPL see it.
 *
 * <p>One process runs per device. Processes form the squarest grid with P at least Q, nodes the squarest grid with p at
 * most q [MCL-HPL §3.1.4.2].
 *
 * @param nodes of the machine
 * @param devicesPerNode processes of a node
 * @param devicePeak Rpeak of a device, double precision
 * @param blockSize NB
 * @param single the one layer of the original and the single-layer model
 * @param layers of the layered model, innermost first
 */
public record HplSystem(
    @Setting(value = "nodes of the machine", min = "1", max = "1000000") int nodes,
    @Setting(value = "accelerators or processors of a node, each of them a process", min = "1",
        max = "1024") int devicesPerNode,
    @Setting("peak rate of a device in double precision") ComputeRate devicePeak,
    @Setting(value = "block size NB", min = "1", max = "65536") int blockSize,
    @Setting("the one layer of the original and the single-layer model") LayerSettings single,
    @Setting("the layers of the layered model, innermost first") List<LayerSettings> layers) {
  /**
   * Copies the list.
   *
   * @throws InvalidSettingException when layers are missing, or not in the order of their reach up to the system
   */
  public HplSystem {
    layers = ImmutableList.copyOf(layers);
    for (int i = 1; i < layers.size(); i++) {
      if (layers.get(i).reach().compareTo(layers.get(i - 1).reach()) <= 0) {
        throw new InvalidSettingException(
            "layers", "layer '" + layers.get(i).name() + "' reaches no farther than '" + layers.get(i - 1).name()
                + "'; layers are listed from device by node to system, each reach once");
      }
    }
    if (layers.isEmpty() || layers.get(layers.size() - 1).reach() != LayerReach.SYSTEM) {
      throw new InvalidSettingException("layers", "the last layer must reach over the system (reach: system)");
    }
  }

  /** The same hardware in another number. */
  public HplSystem sized(int newNodes, int newDevicesPerNode) {
    return new HplSystem(newNodes, newDevicesPerNode, devicePeak, blockSize, single, layers);
  }

  /** The same machine with another rate of a device and another NB. */
  public HplSystem with(ComputeRate newPeak, int newBlockSize) {
    return new HplSystem(nodes, devicesPerNode, newPeak, newBlockSize, single, layers);
  }

  /** The problem of order N on all devices. */
  public HplProblem problem(long order) {
    return new HplProblem(order, blockSize, ProcessGrid.tall(Math.multiplyExact(nodes, devicesPerNode)));
  }

  /** γ: seconds per operation of a device. */
  public double gamma() {
    return 1.0 / devicePeak.flopPerSecond();
  }

  /** The original model's time for order N [MCL-HPL eq. 3]. */
  public HplTime original(long order) {
    return original(problem(order));
  }

  /** The original model's time [MCL-HPL eq. 3]. */
  public HplTime original(HplProblem problem) {
    return OriginalHplModel.closedForm(problem, gamma(), single.layer(devicesPerNode));
  }

  /** The layered model's time for order N when {@link #single} carries everything. */
  public HplTime singleLayer(long order) {
    return singleLayer(problem(order));
  }

  /** The layered model's time when {@link #single} carries everything. */
  public HplTime singleLayer(HplProblem problem) {
    LayerExtent extent = new LayerExtent(single.layer(devicesPerNode), ProcessGrid.SINGLE);
    return LayeredHplModel.time(problem, gamma(), List.of(extent));
  }

  /** The layered model's time for order N. */
  public HplTime layered(long order) {
    return layered(problem(order));
  }

  /** The layered model's time. */
  public HplTime layered(HplProblem problem) {
    ImmutableList.Builder<LayerExtent> extents = ImmutableList.builder();
    for (LayerSettings layer : layers) {
      extents.add(new LayerExtent(layer.layer(devicesPerNode), parts(layer.reach(), problem)));
    }
    return LayeredHplModel.time(problem, gamma(), extents.build());
  }

  private ProcessGrid parts(LayerReach reach, HplProblem problem) {
    switch (reach) {
      case DEVICE :
        return problem.grid();
      case NODE :
        return ProcessGrid.wide(nodes);
      default :
        return ProcessGrid.SINGLE;
    }
  }
}
