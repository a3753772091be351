/* SPDX-License-Identifier: MIT
 *
 * Environment variables. Every variable that the driver, the model or the shim reads is read here, so that one rule holds
 * for all: a set-user-ID or set-group-ID program, or one with file capabilities, has none of them, because its
 * environment comes from somebody with fewer rights, and variables name files to write and code to load.
 * tests/unit/environment_reads.py looks for other reads. Which variables there are: docs/variables.md.
 */
#ifndef UTIL_ENVIRONMENT_H
#define UTIL_ENVIRONMENT_H

#include "util/macros.h"

/* NULL when the variable is not set, empty, or not to be trusted. */
const char *util_environment(const char *name);

/* Whether the program runs with rights that its caller did not have (AT_SECURE). */
bool util_environment_is_untrusted(void);

/* A whole number from 1 to `max`; 0 when the variable is not set or empty. Anything else is warned of, and is 0. */
uint32_t util_environment_number(const char *name, uint32_t max);

/* VC4VK_HANG_MS: how long a job may run before it is a hang. Default: 10 s. */
uint64_t util_hang_limit_ns(void);
/* The same of a command on the CPU engine, which is slower than the chip: twelve times as long. */
uint64_t util_engine_hang_limit_ns(void);

#endif
