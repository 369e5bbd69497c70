package dev.heddle.sim;

/** How exactly the network is modelled. */
public enum Fidelity {
  /** Discrete events: every packet or train. */
  PACKET,
  /** Fluid max-min fair flows. */
  FLOW,
  /** Closed forms. */
  ANALYTIC
}
