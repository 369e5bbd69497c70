@NullMarked
package dev.heddle.workload.trace.export;

import org.jspecify.annotations.NullMarked;
