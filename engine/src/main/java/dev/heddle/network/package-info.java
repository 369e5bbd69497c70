/** What networks of all fidelities share. */
@NullMarked
package dev.heddle.network;

import org.jspecify.annotations.NullMarked;
