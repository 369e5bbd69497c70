/** Renders results: terminal tables, JSON, CSV and one self-contained HTML file. Computes no physics. */
@NullMarked
package dev.heddle.report;

import org.jspecify.annotations.NullMarked;
