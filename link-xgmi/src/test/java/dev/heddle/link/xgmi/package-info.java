/** Tests of xGMI. */
@NullMarked
package dev.heddle.link.xgmi;

import org.jspecify.annotations.NullMarked;
