/** Readers of text files of other programs, line by line with bounds, and writers of whole files. */
@NullMarked
package dev.heddle.text;

import org.jspecify.annotations.NullMarked;
