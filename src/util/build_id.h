/* SPDX-License-Identifier: MIT
 *
 * Names the build that this code is part of: what is kept on disk by one is not for another.
 */
#ifndef UTIL_BUILD_ID_H
#define UTIL_BUILD_ID_H

#include "util/macros.h"

#define UTIL_BUILD_ID_B 16

/* From the build id of the library or program that this is linked into; of the version where it has none. */
void util_build_id(uint8_t id_out[UTIL_BUILD_ID_B]);

#endif
