package dev.heddle.collectives.msccl;

import dev.heddle.collective.TransportModel;
import dev.heddle.collective.TransportModel.Costs;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A protocol of NCCL's connections, which MSCCL's interpreter runs on: bytes of data per line on the wire, and the
 * times of NCCL's tuning model. The times per message contain the latency of the wire, which links count too: a message
 * within a node is late by a link's latency at most. The time per byte that copying takes is not counted.
 */
enum MscclProtocol {
  /** Flags beside every 4 bytes: 8 bytes of data in lines of 16. */
  LL(8, 16, 6_600_000, 600_000, 2_700_000),
  /** 120 bytes of data in lines of 128. */
  LL128(120, 128, 14_000_000, 1_900_000, 4_000_000),
  /** Data without flags, and a flag after each message. */
  SIMPLE(1, 1, 8_400_000, 3_400_000, 14_000_000);

  /** The source of lines and times. */
  static final String SOURCE = "NCCL 2.23, src/graph/tuning.cc: baseLat and hwLat of rings, NVLink and network";

  private final int linePayload;
  private final int lineBytes;
  private final long startPs;
  private final long hopPs;
  private final long networkHopPs;

  MscclProtocol(int linePayload, int lineBytes, long startPs, long hopPs, long networkHopPs) {
    this.linePayload = linePayload;
    this.lineBytes = lineBytes;
    this.startPs = startPs;
    this.hopPs = hopPs;
    this.networkHopPs = networkHopPs;
  }

  /**
   * The protocol of a file's name for it.
   *
   * @throws InvalidSettingException when there is none
   */
  static MscclProtocol of(String name, Path file) {
    if (name.isEmpty()) {
      return SIMPLE;
    }
    for (MscclProtocol protocol : values()) {
      if (protocol.name().equalsIgnoreCase(name)) {
        return protocol;
      }
    }
    throw new InvalidSettingException("file", file + ": proto is '" + name + "'; it must be Simple, LL or LL128");
  }

  /** The transport of its connections; absent times are NCCL's. */
  TransportModel transport(Optional<Long> start, Optional<Long> hop, Optional<Long> networkHop) {
    Costs costs = new Costs(start.orElse(startPs), 0, 0, hop.orElse(hopPs), networkHop.orElse(networkHopPs));
    return new TransportModel(name(), linePayload, lineBytes, Long.MAX_VALUE, 0, costs);
  }
}
