package dev.heddle.collectives.neuron;

import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import java.util.Optional;

/** Provides the collectives of AWS Neuron within an instance and over several [Neuron]. */
@Plugin(id = "neuron", description = "AWS Neuron's collectives on a torus of chips: Ring, Mesh, KangaRing, RDH")
public final class NeuronAlgorithmProvider implements CollectiveAlgorithmProvider<NeuronAlgorithmProvider.Settings> {
  /**
   * The settings of the collectives.
   *
   * @param algorithm to use
   * @param slices parts of a chunk that Ring reduces and sends one after the other
   * @param start from a semaphore to a DMA transfer's first byte
   * @param between from memory to memory of another instance, for the least message
   * @param axes order of the axes in RDH
   * @param stages order of RDH's work within chips
   */
  public record Settings(
      @Setting("which algorithm; without it, the one that is predicted to take the "
          + "least time") Optional<Algorithm> algorithm,
      @Setting(value = "parts of a chunk that Ring reduces one while the other is sent", def = "2",
          min = "1", max = "16", source = "[Neuron, Ring ReduceScatter]: two slices") int slices,
      @Setting(value = "time from a semaphore to the first byte of a DMA transfer", def = "1300 ns",
          source = "AWS Neuron documentation, Guideline to Avoid Under-Utilizing DMA Bandwidth: "
              + "semaphore-to-start latency") SimTime start,
      @Setting(value = "time from memory to memory of another instance for the least message, start and links included",
          def = "15 us",
          source = "AWS Neuron documentation, What is Neuron Collective Communication: ib_write_lat on "
              + "trn2") SimTime between,
      @Setting(value = "whether the ranks of a chip begin RDH at different axes or all at the first",
          def = "rotated") Axes axes,
      @Setting(
          value = "whether RDH works within chips as data arrive, or before and after the transfers between chips",
          def = "as-arrived") Stages stages) {
    /** One algorithm, or none for a choice, and otherwise the defaults. */
    public static Settings of(Optional<Algorithm> algorithm) {
      return new Settings(algorithm, 2, SimTime.parse("1300 ns"), SimTime.parse("15 us"), Axes.ROTATED,
          Stages.AS_ARRIVED);
    }

    /** The same settings with another order of axes. */
    public Settings axes(Axes other) {
      return new Settings(algorithm, slices, start, between, other, stages);
    }

    /** The same settings with other stages. */
    public Settings stages(Stages other) {
      return new Settings(algorithm, slices, start, between, axes, other);
    }
  }

  /** In which order the ranks of a chip take the axes of the hypercube. */
  public enum Axes {
    /** Each rank of a chip begins at another axis, so that their messages take different links. */
    ROTATED,
    /** All begin at the first axis, and share one link at each step. */
    SAME
  }

  /** Order of RDH's work within chips. */
  public enum Stages {
    /** All sums within a chip before anything is exchanged, all broadcasts there after it. */
    IN_TURN,
    /**
     * Chunk by chunk: a chunk is sent when its sum is complete, and broadcast on arrival, independently of other
     * chunks.
     */
    AS_ARRIVED
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new NeuronCollectives(settings);
  }
}
