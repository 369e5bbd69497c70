package dev.heddle.spi;

/** Kind of wire of a link, by the devices that it was made to join. */
public enum Medium {
  /** Accelerator to accelerator, through a switch or not: NVLink, xGMI, Xe-Link, NeuronLink. */
  PEER,
  /** A processor's bus to its devices: PCIe. */
  BUS,
  /** Processor to processor: UPI, Infinity Fabric between sockets. */
  SOCKET,
  /** Processor to accelerator, with coherent memory: NVLink-C2C, Infinity Fabric of an APU's host. */
  COHERENT,
  /** Node to node: InfiniBand, Ethernet, Slingshot; the default. */
  NETWORK,
  /** A device to its memory: HBM, DDR. */
  MEMORY
}
