/* SPDX-License-Identifier: MIT
 *
 * Numbers from environment variables. Which variables there are: docs/variables.md.
 */
#ifndef UTIL_ENVIRONMENT_H
#define UTIL_ENVIRONMENT_H

#include "util/macros.h"

/* A whole number from 1 to `max`; 0 when the variable is not set or empty. Anything else is warned of, and is 0. */
uint32_t util_environment_number(const char *name, uint32_t max);

/* VC4VK_HANG_MS: how long a job may run before it is a hang. Default: 10 s. */
uint64_t util_hang_limit_ns(void);

#endif
