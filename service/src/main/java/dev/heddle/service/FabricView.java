package dev.heddle.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.registry.Registry;
import dev.heddle.registry.RegistryException;
import dev.heddle.report.HtmlReport;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.scenario.InputFolders;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Drawings of clusters before they run: of a preset, or of a scenario's text. */
final class FabricView {
  private static final int MOST_LINKS = 40_000;

  private final Registry registry;
  private final InputFolders inputs;

  FabricView(Registry registry, InputFolders inputs) {
    this.registry = registry;
    this.inputs = inputs;
  }

  /**
   * Draws a cluster.
   *
   * @param body a JSON object with {@code preset}, or with {@code text} of a scenario
   * @return {@code {devices, links, tiers: [{name, instances, rate, kind}], svg?}}
   * @throws RequestException when the cluster cannot be planned
   */
  ObjectNode of(JsonNode body) {
    try {
      ScenarioReader reader = new ScenarioReader(registry, inputs, MOST_LINKS / 2, 1000);
      String preset = body.path("preset").asText("");
      if (!preset.isEmpty()) {
        registry.preset(preset);
      }
      Fabric fabric = preset.isEmpty()
          ? reader.parse("scenario.yaml", body.path("text").asText(""), Map.of()).points().get(0).scenario().fabric()
          : reader.cluster("preset", preset, Map.of());
      return drawn(fabric);
    } catch (ScenarioException | RegistryException | InvalidSettingException e) {
      throw new RequestException(
          RequestException.UNPROCESSABLE, FaultText.faults(String.valueOf(e.getMessage())));
    }
  }

  private static ObjectNode drawn(Fabric fabric) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("devices", fabric.devices()).put("links", fabric.links()).put("nodes", fabric.nodes());
    ArrayNode tiers = root.putArray("tiers");
    fabric.tiers().stream().map(Tier::name).forEach(name -> tiers.addObject().put("name", name));
    if (fabric.links() <= MOST_LINKS) {
      List<LinkUsage> links = new ArrayList<>();
      for (int link = 0; link < fabric.links(); link++) {
        links.add(new LinkUsage(
            fabric.linkName(link), fabric.tiers().get(fabric.linkTier(link)).name(),
            fabric.linkModel(link).rate().bytesPerNano(), 0, 0, 0, 0, 0));
      }
      HtmlReport.drawing(links).ifPresent(svg -> root.put("svg", svg));
    }
    return root;
  }
}
