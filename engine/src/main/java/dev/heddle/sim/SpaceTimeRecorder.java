package dev.heddle.sim;

import dev.heddle.fabric.Fabric;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.results.SpaceTime;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Keeps the first messages of a run, so that they can be drawn. */
final class SpaceTimeRecorder implements NetworkObserver {
  private final int most;
  private final List<SpaceTime.Message> messages = new ArrayList<>();

  SpaceTimeRecorder(int most) {
    this.most = most;
  }

  @Override
  public void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes) {}

  @Override
  public void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs) {
    if (messages.size() < most) {
      messages.add(new SpaceTime.Message(source, destination, bytes, generatedPs, deliveredPs));
    }
  }

  /** The recorded messages, with names of terminals. */
  SpaceTime spaceTime(Fabric fabric) {
    TreeSet<Integer> terminals = new TreeSet<>();
    messages.forEach(message -> {
      terminals.add(message.from());
      terminals.add(message.to());
    });
    List<Integer> lanes = List.copyOf(terminals);
    int[] laneOf = new int[fabric.terminals()];
    for (int lane = 0; lane < lanes.size(); lane++) {
      laneOf[lanes.get(lane)] = lane;
    }
    return new SpaceTime(
        lanes.stream().map(fabric::name).toList(),
        messages.stream().map(message -> new SpaceTime.Message(
            laneOf[message.from()], laneOf[message.to()], message.bytes(), message.startPs(), message.endPs()))
            .toList());
  }
}
