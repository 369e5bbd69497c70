@NullMarked
package dev.heddle.workload.traffic;

import org.jspecify.annotations.NullMarked;
