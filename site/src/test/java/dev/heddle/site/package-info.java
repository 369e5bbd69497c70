/** Tests of the documentation site. */
@NullMarked
package dev.heddle.site;

import org.jspecify.annotations.NullMarked;
