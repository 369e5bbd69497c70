/** xGMI, the external Infinity Fabric between AMD's accelerators and processors. */
@NullMarked
package dev.heddle.link.xgmi;

import org.jspecify.annotations.NullMarked;
