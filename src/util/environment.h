/* SPDX-License-Identifier: MIT
 *
 * The driver, the model and the shim read all environment variables through this file. In a set-user-ID or set-group-ID
 * program, or one with file capabilities, every variable counts as unset: its environment comes from a user with fewer
 * rights, and variables name files to write and code to load. tests/unit/environment_reads.py finds reads that bypass
 * this file. docs/variables.md lists the variables.
 */
#ifndef UTIL_ENVIRONMENT_H
#define UTIL_ENVIRONMENT_H

#include "util/macros.h"

/* NULL when the variable is unset or empty, or when the environment is untrusted. */
const char *util_environment(const char *name);

/* Whether the program runs with more rights than the user who started it (AT_SECURE). */
bool util_environment_is_untrusted(void);

/* An integer from 1 to `max`; 0 when the variable is unset or empty. Any other text causes a warning and yields 0. */
uint32_t util_environment_number(const char *name, uint32_t max);

/* VC4VK_HANG_MS: how long a job may run before it counts as a hang. Default: 10 s. */
uint64_t util_hang_limit_ns(void);
/* The limit for a command on the CPU engine, which is slower than the chip: twelve times as long. */
uint64_t util_engine_hang_limit_ns(void);

#endif
