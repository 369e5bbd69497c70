package dev.heddle.hpl.run;

import dev.heddle.spi.Setting;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * The compute times of an accelerator.
 *
 * @param peak in double precision; without it, that of the accelerator's matrix units, else of its vector units
 * @param sustained share of the peak that large products of matrices reach
 * @param tile rows and columns of the part of a product that one compute unit works at
 * @param launch time from the start of a kernel to its first operation
 * @param exchange software time of one exchange of a pivot, in addition to the links
 */
public record KernelSettings(
    @Setting("peak in double precision; without it, that of the accelerator's matrix units, else of its vector "
        + "units") Optional<ComputeRate> peak,
    @Setting(value = "share of the peak that large products of matrices reach", def = "87 %", min = "1 %",
        max = "100 %",
        source = "an A100 solves N of 92,160 at 87.1 % of the peak of its matrix units (log of NVIDIA's HPC "
            + "benchmarks)") Fraction sustained,
    @Setting(value = "rows and columns of the part of a product that a compute unit works at", def = "128", min = "1",
        max = "4096") int tile,
    @Setting(value = "time from the start of a kernel to its first operation", def = "5 us",
        max = "1 s") SimTime launch,
    @Setting(value = "software time of one exchange of a pivot, in addition to the links", def = "1 us",
        max = "1 s") SimTime exchange) {}
