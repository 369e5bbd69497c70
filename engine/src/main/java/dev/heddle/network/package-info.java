/** Fidelities, and the parts that networks of all fidelities share. */
@NullMarked
package dev.heddle.network;

import org.jspecify.annotations.NullMarked;
