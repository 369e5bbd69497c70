package dev.heddle.fabric;

/**
 * The state of a fabric from a time on, at which a fault begins or ends. Devices and links have the numbers that they
 * have in the fabric at the start; models of links and routes may differ.
 *
 * @param atPs simulated time, at least 1
 * @param fabric with the faults of that time
 */
public record FabricChange(long atPs, Fabric fabric) {}
