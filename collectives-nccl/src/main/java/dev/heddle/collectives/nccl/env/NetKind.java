package dev.heddle.collectives.nccl.env;

/** The network that NCCL uses between nodes. */
public enum NetKind {
  /** RDMA verbs, over InfiniBand or converged Ethernet. */
  IB,
  /** TCP sockets. */
  SOCKET
}
