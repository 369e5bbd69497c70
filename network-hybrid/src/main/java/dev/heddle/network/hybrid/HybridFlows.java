package dev.heddle.network.hybrid;

import dev.heddle.engine.Collectives;
import dev.heddle.engine.Job;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.Transport;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.RunOptions;
import dev.heddle.network.flow.PacketHost;
import dev.heddle.network.flow.SharedFlows;
import dev.heddle.network.packet.FlowSide;
import dev.heddle.network.packet.PacketSide;
import dev.heddle.observe.NetworkObserver;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Flows beside packets: hands each message and each collective to one of the two, and keeps their clocks together. */
final class HybridFlows implements FlowSide, PacketHost {
  private final ChosenLinks chosen;
  private final int[] terminals;
  private final SharedFlows flows;
  private long places;
  private @Nullable PacketSide side;
  private @Nullable Collectives stepwise;
  // Whether anything of flows may have begun or ended since rates were solved.
  private boolean stirred = true;

  HybridFlows(
      Fabric fabric, ChosenLinks chosen, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    this.chosen = chosen;
    terminals = job.terminals();
    flows = new SharedFlows(fabric, job, options, observer, this);
  }

  /** The flows. */
  SharedFlows flows() {
    return flows;
  }

  private void stir() {
    stirred = true;
    flows.advance(side().now());
  }

  private PacketSide side() {
    return Objects.requireNonNull(side, "the packets have not joined");
  }

  @Override
  public void join(PacketSide packets) {
    side = packets;
  }

  @Override
  public Transport transport(Transport packets) {
    return new Division(packets);
  }

  @Override
  public Collectives collectives(Collectives packets) {
    stepwise = packets;
    return (runner, slot, rank, operation) -> {
      stir();
      return flows.collectives().arrive(runner, slot, rank, operation);
    };
  }

  @Override
  public Collectives stepwise() {
    return Objects.requireNonNull(stepwise, "the packets have not joined");
  }

  @Override
  public ProgramRunner runner() {
    return side().runner();
  }

  @Override
  public boolean carriesPackets(int source, int destination) {
    return chosen.meet(source, destination);
  }

  @Override
  public long nextPlace() {
    return places++;
  }

  @Override
  public boolean flowsAhead(int channel, long place) {
    return flows.isAhead(channel, place);
  }

  @Override
  public void packetsLeft(int channel) {
    stir();
    flows.left(channel);
  }

  @Override
  public boolean packetsAhead(int channel, long place) {
    return side().packetsAhead(channel, place);
  }

  @Override
  public void flowLeft(int channel) {
    side().flowLeft(channel);
  }

  @Override
  public void enter(int link) {
    side().enter(link);
  }

  @Override
  public void room(int link, double part) {
    side().room(link, part);
  }

  @Override
  public boolean isFree(int link) {
    return flows.isFree(link);
  }

  @Override
  public void wake() {
    stir();
    flows.runDue();
  }

  @Override
  public void settle() {
    if (!stirred) {
      return;
    }
    stir();
    stirred = false;
    long next = flows.solve();
    if (next < Long.MAX_VALUE) {
      side().wakeAt(next);
    }
  }

  @Override
  public void begin(long id, int destination, long bytes, int trafficClass) {
    stir();
    flows.begin(id, destination, bytes, trafficClass);
  }

  @Override
  public void end(long id) {
    stirred = true;
    flows.end(id);
  }

  @Override
  public int live() {
    return flows.live();
  }

  @Override
  public long lastPs() {
    return flows.lastPs();
  }

  /** The division of messages among packets and flows, by their ends. Both count against the room of a rank. */
  private final class Division implements Transport {
    private final Transport packets;

    Division(Transport packets) {
      this.packets = packets;
    }

    // A call that is simulated aside sends packets alone.
    @Override
    public boolean hasRoom(int rank) {
      return packets.hasRoom(rank) && (side().isAside() || flows.transport().hasRoom(rank));
    }

    @Override
    public void submit(int rank, int peer, long bytes, int tag, int service) {
      if (carriesPackets(terminals[rank], terminals[peer])) {
        packets.submit(rank, peer, bytes, tag, service);
      } else {
        stir();
        flows.transport().submit(rank, peer, bytes, tag, service);
      }
    }

    @Override
    public void refuse(int rank, int peer, long bytes) {
      if (carriesPackets(terminals[rank], terminals[peer])) {
        packets.refuse(rank, peer, bytes);
      } else {
        stir();
        flows.transport().refuse(rank, peer, bytes);
      }
    }
  }
}
