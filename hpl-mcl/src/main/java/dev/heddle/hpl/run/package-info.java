/** HPL as programs of ranks: what each process computes, sends and waits for, panel by panel. */
@NullMarked
package dev.heddle.hpl.run;

import org.jspecify.annotations.NullMarked;
