package dev.heddle.cli;

import dev.heddle.network.NetworkModel;
import dev.heddle.network.NetworkModelKind;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.Optional;

/**
 * Values of options that name a fidelity: the id of an installed network model, such as {@code flow}, or a mapping with
 * its settings, as {@code fidelity} of a scenario.
 */
public final class FidelityOption {
  private static final PluginKind KIND = new NetworkModelKind();

  private FidelityOption() {}

  /**
   * The network model that a value names.
   *
   * @param registry the installed network models
   * @param option name of the option, such as {@code --fidelity}
   * @param value of the option
   * @return the network model
   * @throws InvalidSettingException when there is no such network model; names those present and the nearest
   * @throws dev.heddle.scenario.ScenarioException when its settings are wrong
   */
  public static NetworkModel model(Registry registry, String option, String value) {
    return model(registry, option, value, List.of()).orElseThrow();
  }

  /**
   * The network model that a value names, of an option that takes other values too.
   *
   * @param registry the installed network models
   * @param option name of the option, such as {@code --fidelity}
   * @param value of the option
   * @param others values that stand for no network model
   * @return the network model; empty for one of the other values
   * @throws InvalidSettingException when there is no such value; names all values and the nearest
   * @throws dev.heddle.scenario.ScenarioException when settings of the network model are wrong
   */
  public static Optional<NetworkModel> model(Registry registry, String option, String value, List<String> others) {
    return BlockOption.of(registry, KIND, option, value, others).map(NetworkModel.class::cast);
  }
}
