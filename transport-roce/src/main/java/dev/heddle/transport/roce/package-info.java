/** RDMA over converged Ethernet: go-back-N and selective repeat under DCQCN, DCTCP, HPCC, PINT, TIMELY and Swift. */
@NullMarked
package dev.heddle.transport.roce;

import org.jspecify.annotations.NullMarked;
