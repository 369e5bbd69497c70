package dev.heddle.network;

import dev.heddle.spi.TransportProtocol;
import org.jspecify.annotations.Nullable;

/**
 * A transport protocol whose control packets (acknowledgements, notifications, grants of credit and trimmed headers)
 * travel in a traffic class, with that class's queues, weight and pauses, instead of before all classes.
 */
public interface ControlClassed extends TransportProtocol {
  /** The class of a protocol whose control packets go before all classes. */
  int BEFORE_ALL = -1;

  /** The class, 0 to 7. */
  int controlClass();

  /** The class of a protocol's control packets; {@link #BEFORE_ALL} where none is stated. */
  static int of(@Nullable TransportProtocol protocol) {
    return protocol instanceof ControlClassed classed ? classed.controlClass() : BEFORE_ALL;
  }
}
