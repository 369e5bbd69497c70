/** The layers of HPL's closed forms from the links of a cluster. */
@NullMarked
package dev.heddle.hpl.cluster;

import org.jspecify.annotations.NullMarked;
