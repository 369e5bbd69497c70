package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;

/**
 * What the network between a machine's nodes takes.
 *
 * @param node rate of data at which a node's NICs send, all together: the least of wire, PCIe and NIC
 * @param latency of a step besides its data: proxy, clear to send, NIC, wire
 * @param message what the proxy of a GPU takes for each message, one after the other
 * @param nics GPUs of a node that own NICs, each with a proxy of its own
 * @param flush a read of GPU memory by a NIC, which orders what was written before it
 */
public record NetworkTiming(
    @Setting("rate of data at which a node's NICs send, all together: the least of wire, PCIe and NIC") DataRate node,
    @Setting("latency of a step besides its data: proxy, clear to send, NIC, wire") SimTime latency,
    @Setting(value = "what the proxy of a GPU takes for each message, one after the other", def = "0 s")
        SimTime message,
    @Setting(value = "GPUs of a node that own NICs, each with a proxy of its own", def = "8", min = "1", max = "72")
        int nics,
    @Setting(value = "a read of GPU memory after a receipt, where NCCL_NET_FORCE_FLUSH asks for it on GPUs that need none",
            def = "550 ns",
            source = "R. Neugebauer et al., Understanding PCIe performance for end host networking, SIGCOMM 2018: median"
                + " of reads of 64 B by a NIC")
        SimTime flush) {}
