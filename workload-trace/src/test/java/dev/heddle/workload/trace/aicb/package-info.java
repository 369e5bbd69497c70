@NullMarked
package dev.heddle.workload.trace.aicb;

import org.jspecify.annotations.NullMarked;
