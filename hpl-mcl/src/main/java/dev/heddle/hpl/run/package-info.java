/** HPL as programs of ranks: the computations, sends and receives of each process, panel by panel. */
@NullMarked
package dev.heddle.hpl.run;

import org.jspecify.annotations.NullMarked;
