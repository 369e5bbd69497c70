package dev.heddle.workload.megatron.model;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;

/**
 * A Mamba-2 mixer: a projection to gates, inputs, both matrices of the state and time steps, a causal convolution, the
 * state-space recurrence of each head, a gated normalisation and a projection back [Dao and Gu 2024, Transformers are
 * SSMs, §7 and figure 6]. Symbols of the paper: heads {@code H} of size {@code P}, groups {@code G} of heads that share
 * their matrices, states of {@code N} per element of a head, chunks of {@code Q} tokens.
 *
 * @param heads of a layer
 * @param headSize elements of a head
 * @param groups of heads with common matrices of the state
 * @param state size of the state of each element
 * @param convolution width of the causal convolution
 * @param chunk tokens whose pairs are computed as products, between which states are passed on
 */
public record StateSpace(
    @Setting(value = "heads of a layer", min = "1", max = "100000") int heads,
    @Setting(value = "elements of a head", def = "64", min = "1", max = "65536",
        source = "Megatron-Core, mamba_head_dim") int headSize,
    @Setting(value = "groups of heads with common matrices of the state", def = "8", min = "1", max = "100000",
        source = "Megatron-Core, mamba_num_groups") int groups,
    @Setting(value = "size of the state of each element", def = "128", min = "1", max = "65536",
        source = "Megatron-Core, mamba_state_dim") int state,
    @Setting(value = "width of the causal convolution", def = "4", min = "1", max = "64",
        source = "Megatron-Core, MambaMixer: d_conv") int convolution,
    @Setting(value = "tokens of a chunk of the recurrence", def = "128", min = "1", max = "65536",
        source = "Megatron-Core, MambaMixer: chunk_size") int chunk) {
  /** Checks that groups divide the heads. */
  public StateSpace {
    if (heads % groups != 0) {
      throw new InvalidSettingException("groups", groups + " groups do not divide " + heads + " heads");
    }
  }

  /** Elements of all heads. */
  public long inner() {
    return (long) heads * headSize;
  }

  /** Elements of one of both matrices of the state for a token. */
  public long matrix() {
    return (long) groups * state;
  }

  /** Channels of the convolution: inputs and both matrices of the state. */
  public long channels() {
    return inner() + 2 * matrix();
  }

  /** Columns of the first projection: gates, the convolution's channels and time steps. */
  public long columns() {
    return inner() + channels() + heads;
  }

  /** Parameters of both projections. */
  public long matrixParameters(long hidden) {
    return hidden * (columns() + inner());
  }

  /**
   * All parameters: besides the projections the convolution with its bias, decay, skip and bias of time steps of each
   * head, and the scale of the gated normalisation.
   */
  public long parameters(long hidden) {
    return matrixParameters(hidden) + channels() * (convolution + 1) + 3L * heads + inner();
  }

  /** Floating-point operations of the recurrence for a token, forward [Megatron-LM, mamba_layer_flops]. */
  public double recurrenceFlops() {
    return 7.0 * inner() * state;
  }
}
