package dev.heddle.collectives.nccl.system;

import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Medium;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The network between chips of a node that are joined directly to each other, as in a torus, each with accelerators
 * behind their memories. NCCL has direct links between GPUs only. Therefore the accelerators of a chip have a link to
 * each other, and accelerators at the same place of neighbouring chips have one, with an equal share of the rate of the
 * chips' links.
 */
final class ChipNetwork {
  private final Map<Integer, Integer> chipOf = new LinkedHashMap<>();
  private final ListMultimap<Integer, Integer> accelerators = MultimapBuilder.treeKeys().arrayListValues().build();
  private final Map<Integer, Double> fabricBits = new LinkedHashMap<>();
  // The rate from each chip to each neighbour, bits per second.
  private final Map<Integer, Map<Integer, Double>> neighbours = new TreeMap<>();

  /** A link to another accelerator, bits per second. */
  record Direct(int to, double bits) {}

  ChipNetwork(Cluster cluster, int node) {
    for (int link = 0; link < cluster.links(); link++) {
      int memory = cluster.linkSource(link);
      if (cluster.node(memory) == node && cluster.kind(memory) == DeviceKind.MEMORY
          && cluster.kind(cluster.linkTarget(link)) == DeviceKind.SWITCH) {
        addMemory(cluster, memory, link);
      }
    }
    for (int link = 0; link < cluster.links(); link++) {
      int from = cluster.linkSource(link);
      int to = cluster.linkTarget(link);
      if (accelerators.containsKey(from) && accelerators.containsKey(to)
          && cluster.nominalLink(link).medium() == Medium.PEER) {
        neighbours.computeIfAbsent(from, any -> new TreeMap<>())
            .merge(to, (double) cluster.nominalLink(link).rate().bitsPerSecond(), Double::sum);
      }
    }
    if (neighbours.isEmpty()) {
      chipOf.clear();
      accelerators.clear();
    }
  }

  private void addMemory(Cluster cluster, int memory, int toChip) {
    for (int link = 0; link < cluster.links(); link++) {
      int accelerator = cluster.linkSource(link);
      if (cluster.linkTarget(link) == memory && cluster.kind(accelerator) == DeviceKind.ACCELERATOR
          && !chipOf.containsKey(accelerator)) {
        int chip = cluster.linkTarget(toChip);
        chipOf.put(accelerator, chip);
        accelerators.put(chip, accelerator);
        fabricBits.put(accelerator, (double) cluster.nominalLink(toChip).rate().bitsPerSecond());
      }
    }
  }

  /** Whether a device is one of these chips. */
  boolean isChip(int device) {
    return accelerators.containsKey(device);
  }

  /** The accelerators of a chip, ascending; none for other devices. */
  List<Integer> accelerators(int chip) {
    return accelerators.get(chip).stream().sorted().toList();
  }

  /** The links of an accelerator; none if it is not on a chip. */
  List<Direct> links(int accelerator) {
    List<Direct> links = new ArrayList<>();
    Integer chip = chipOf.get(accelerator);
    if (chip == null) {
      return links;
    }
    List<Integer> beside = accelerators(chip);
    for (int other : beside) {
      if (other != accelerator) {
        links.add(new Direct(other, fabricBits.getOrDefault(accelerator, 0.0) / (beside.size() - 1)));
      }
    }
    int place = beside.indexOf(accelerator);
    neighbours.getOrDefault(chip, Map.of()).forEach((next, bits) -> {
      List<Integer> there = accelerators(next);
      if (place < there.size()) {
        links.add(new Direct(there.get(place), bits / beside.size()));
      }
    });
    return links;
  }
}
