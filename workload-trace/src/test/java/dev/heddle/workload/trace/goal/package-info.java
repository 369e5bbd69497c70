@NullMarked
package dev.heddle.workload.trace.goal;

import org.jspecify.annotations.NullMarked;
