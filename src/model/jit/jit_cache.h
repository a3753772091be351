/* SPDX-License-Identifier: MIT
 *
 * The process's cache of compiled programs: which QPU programs there are, how often they ran, and their host code once
 * it is compiled. Part of the driver; loads libvc4vk_jit.so from the driver's own directory when the first program is
 * worth compiling. Without the library, and under VC4VK_DEBUG=no-jit, no program ever gets host code.
 */
#ifndef JIT_CACHE_H
#define JIT_CACHE_H

#include "model/jit/jit.h"

struct jit_cache;
struct jit_unit; /* a program, identified by its content */

/* The process's cache. The first caller creates it, the last release destroys it. NULL: everything is interpreted.
 * `calls`: the interpreter's functions for host code, the same for all callers. */
struct jit_cache *jit_cache_acquire(const struct jit_calls *calls);
void jit_cache_release(struct jit_cache *cache); /* NULL is accepted */

/* A reference to the program's unit. Starts a new job for its count of uses. NULL: out of memory, or no cache. */
struct jit_unit *jit_unit_get(struct jit_cache *cache, const struct jit_source *source);
void jit_unit_drop(struct jit_cache *cache, struct jit_unit *unit); /* NULL is accepted */
const struct jit_source *jit_unit_source(const struct jit_unit *unit);

/* The host code, or NULL: interpret the program. If there is no code yet, counts one run, which may compile it. */
jit_fn jit_unit_use(struct jit_cache *cache, struct jit_unit *unit);
/* The same without counting a run. */
jit_fn jit_unit_entry(const struct jit_unit *unit); /* NULL is accepted */
/* How many interpreted instructions of a user program count as one run, whether or not a run has ended. */
unsigned jit_unit_instrs_per_run(const struct jit_unit *unit);
/* Counts `runs` more runs. May compile the program in this thread if that makes it hot. */
void jit_unit_count(struct jit_cache *cache, struct jit_unit *unit, unsigned runs);
/* For core->pieces while the unit's host code runs. NULL: the program is not cut; `unit` NULL is accepted. */
struct jit_pieces *jit_unit_pieces(struct jit_unit *unit);

#endif
