package dev.heddle.scenario;

import dev.heddle.collective.MessageLabel;
import dev.heddle.network.ControlClassed;
import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.PathSelector;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.units.RandomStream;
import java.util.Optional;

/**
 * A transport protocol whose control packets have a traffic class.
 *
 * @param protocol that it is in all else
 * @param controlClass 0 to 7
 */
public record ClassedProtocol(TransportProtocol protocol, int controlClass) implements ControlClassed {
  /**
   * Checks the class.
   *
   * @throws IllegalArgumentException when no message can have it
   */
  public ClassedProtocol {
    if (controlClass < 0 || controlClass >= MessageLabel.CLASSES) {
      throw new IllegalArgumentException(
          "traffic classes are 0 to " + (MessageLabel.CLASSES - 1) + ": " + controlClass);
    }
  }

  @Override
  public LossRecovery lossRecovery() {
    return protocol.lossRecovery();
  }

  @Override
  public CongestionControl connect(ConnectionPath path) {
    return protocol.connect(path);
  }

  @Override
  public PathSelector paths(ConnectionPath path, RandomStream random) {
    return protocol.paths(path, random);
  }

  @Override
  public int pathCount() {
    return protocol.pathCount();
  }

  @Override
  public double steadyUtilisation() {
    return protocol.steadyUtilisation();
  }

  @Override
  public boolean suitsFluid() {
    return protocol.suitsFluid();
  }

  @Override
  public long timeoutPs(ConnectionPath path) {
    return protocol.timeoutPs(path);
  }

  @Override
  public int reorderingPackets() {
    return protocol.reorderingPackets();
  }

  @Override
  public int acknowledgementBytes() {
    return protocol.acknowledgementBytes();
  }

  @Override
  public boolean acceptsTrimmed() {
    return protocol.acceptsTrimmed();
  }

  @Override
  public int telemetryBytes() {
    return protocol.telemetryBytes();
  }

  @Override
  public long notificationPs() {
    return protocol.notificationPs();
  }

  @Override
  public Optional<ReceiverCredits> receiverCredits(ConnectionPath path) {
    return protocol.receiverCredits(path);
  }

  @Override
  public Optional<CongestionControl> creditControl(ConnectionPath path, RandomStream random) {
    return protocol.creditControl(path, random);
  }
}
