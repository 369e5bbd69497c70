@NullMarked
package dev.heddle.workload.trace.htsim;

import org.jspecify.annotations.NullMarked;
