/** The network at hybrid fidelity: packets over chosen links, flows elsewhere. */
@NullMarked
package dev.heddle.network.hybrid;

import org.jspecify.annotations.NullMarked;
