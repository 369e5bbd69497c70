/** Connection matrices of htsim as workloads. */
@NullMarked
package dev.heddle.workload.trace.htsim;

import org.jspecify.annotations.NullMarked;
