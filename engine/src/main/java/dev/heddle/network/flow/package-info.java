/**
 * The network at flow fidelity: messages as fluids that share links fairly.
 *
 * <p>Of all messages that cross a link none is held back while another gets more, unless some other link of its route
 * holds it back: rates are max-min fair [Bertsekas and Gallager, Data Networks, 6.5.2]. They change only when a message
 * begins or ends.
 */
@NullMarked
package dev.heddle.network.flow;

import org.jspecify.annotations.NullMarked;
