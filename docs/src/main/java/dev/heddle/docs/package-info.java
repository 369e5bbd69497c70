/** The samples that the pages of the documentation include. */
@NullMarked
package dev.heddle.docs;

import org.jspecify.annotations.NullMarked;
