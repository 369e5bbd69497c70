/** Building blocks without a vendor: the generic link, the generic switch, the star and the direct connection. */
@NullMarked
package dev.heddle.standard;

import org.jspecify.annotations.NullMarked;
