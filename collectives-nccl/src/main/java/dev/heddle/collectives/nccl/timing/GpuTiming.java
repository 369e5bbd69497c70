package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import java.util.Optional;

/**
 * What the GPUs of a generation take: the same for all machines that have them.
 *
 * @param port what all channels of a collective together move over a GPU's links, with stores of thread blocks
 * @param memory peak rate of the GPU's memory; copying within it reads and writes
 * @param simple the protocol Simple
 * @param ll the protocol LL
 * @param ll128 the protocol LL128
 * @param pairs send and receive
 * @param nvls NVLS, where the switches reduce
 * @param nvlsTree NVLSTree, where they do
 */
public record GpuTiming(
    @Setting("what all channels of a collective together move over a GPU's links, with stores of thread blocks") DataRate port,
    @Setting("peak rate of the GPU's memory; copying within it reads and writes") DataRate memory,
    @Setting("the protocol Simple") SimpleTiming simple,
    @Setting("the protocol LL") LineTiming ll,
    @Setting("the protocol LL128") LineTiming ll128,
    @Setting("send and receive") PairTiming pairs,
    @Setting("NVLS, where the switches reduce") Optional<NvlsTiming> nvls,
    @Setting("NVLSTree, where they do") Optional<NvlsTiming> nvlsTree) {
  GpuTiming with(SimpleTiming other) {
    return new GpuTiming(port, memory, other, ll, ll128, pairs, nvls, nvlsTree);
  }

  /** How many times as long as a send a rank takes to copy its own block from its input to its output. */
  double ownCopy() {
    return port.bytesPerNano() / (memory.bytesPerNano() / 2);
  }
}
