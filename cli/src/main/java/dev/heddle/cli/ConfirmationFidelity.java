package dev.heddle.cli;

import dev.heddle.network.NetworkModel;
import dev.heddle.registry.Registry;
import picocli.CommandLine.Option;

/** The option {@code --fidelity} of commands that rank candidates by a model and simulate the best of them. */
public final class ConfirmationFidelity {
  private static final String NAME = "--fidelity";

  @Option(
      names = NAME,
      paramLabel = "FIDELITY",
      description = "Network model of those runs: analytic, flow, packet, or another that 'heddle plugins' lists"
          + " (default: flow).")
  private String fidelity = "flow";

  /**
   * The network model of the runs.
   *
   * @param registry the installed network models
   * @throws dev.heddle.spi.InvalidSettingException when there is no such network model; names those present
   */
  public NetworkModel model(Registry registry) {
    return FidelityOption.model(registry, NAME, fidelity);
  }
}
