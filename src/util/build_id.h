/* SPDX-License-Identifier: MIT
 *
 * Identifies the build of the driver, so that files cached on disk by one build are not used by another.
 */
#ifndef UTIL_BUILD_ID_H
#define UTIL_BUILD_ID_H

#include "util/macros.h"

#define UTIL_BUILD_ID_B 16

/* A digest of the build id of the library or program that contains this code, or of the version if it has none. */
void util_build_id(uint8_t id_out[UTIL_BUILD_ID_B]);

#endif
