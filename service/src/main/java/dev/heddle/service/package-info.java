/** A queue of simulations that run in processes of their own, behind a REST interface and a front end. */
@NullMarked
package dev.heddle.service;

import org.jspecify.annotations.NullMarked;
